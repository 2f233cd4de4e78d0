"""One page of the web as text: by its site's interface, else by plain requests, else by what the person allows."""
