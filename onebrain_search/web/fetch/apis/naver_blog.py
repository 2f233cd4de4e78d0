"""Naver's blogs: the page for phones, which holds the text that the other one loads in a frame."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from onebrain_search.web.fetch.asking import Desk, Place, Reading, WrongShape, known, markdown
from onebrain_search.web.fetch.extraction import main_text

PHONE: Final = "https://m.blog.naver.com/PostView.naver"


def read(place: Place, desk: Desk) -> Reading:
    """Read `/BLOG/NUMBER`, or any page with `blogId` and `logNo`."""
    blog, number = place.query.get("blogId", place.step(0)), place.query.get("logNo", place.step(1))
    if not blog or not number.isdigit():
        raise WrongShape("posts of Naver's blogs are /BLOG/NUMBER")
    page = desk.page(f"{PHONE}?{urlencode({'blogId': blog, 'logNo': number})}")
    metadata = page.metadata()
    title = metadata.get("og", {}).get("title") or page.title
    return Reading(
        markdown(title, [blog], main_text(page)[0]), known(blog=blog, number=number, og=metadata.get("og"))
    )
