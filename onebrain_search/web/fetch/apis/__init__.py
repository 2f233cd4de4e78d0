"""One reader a site: `read(place, desk)` for its pages, `search(words, desk)` where it can be searched."""
