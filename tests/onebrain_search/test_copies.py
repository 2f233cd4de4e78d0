"""Which passages count as copies: a quick look at their words never misses one that the triples would tell."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from onebrain_search.copies import SAME_SHARE, Worded

WORDS = st.lists(
    st.sampled_from("keeper buoy lantern the a of harbour chains über naïve 检索 引擎".split()),
    min_size=1,
    max_size=60,
)


@given(words=WORDS, other=WORDS, at=st.integers(0, 60))
def test_a_copy_is_told_as_by_comparing_all_triples(words: list[str], other: list[str], at: int) -> None:
    """Also where a few words are put in, changed or left out."""
    for text in (other, [*words[:at], *other[:2], *words[at:]], [*words[:at], *words[at + 1 :]]):
        one, two = Worded(" ".join(words)), Worded(" ".join(text))
        shared, both = len(one.triples & two.triples), len(one.triples | two.triples)
        assert one.repeats(two) == (shared >= SAME_SHARE * both)


def test_a_text_without_spaces_is_compared_by_its_signs() -> None:
    """One sign that differs makes no other passage, a passage on the same matter is one."""
    text = (
        "检索引擎每次启动都重新建立索引。夜间任务会清理过期的缓存文件。港口的灯塔每三十秒闪烁一次。备份保留三十天。"
        "周五不发布新版本，周一由值班的同事负责回滚。渡轮九点开，最后一班在傍晚。"
    )
    assert Worded(text).repeats(Worded(text.replace("三十天", "四十天")))
    assert not Worded(text).repeats(Worded("检索引擎不再使用旧的索引格式。缓存文件由用户自己清理。灯塔已经停用。"))


def test_upper_case_is_no_difference() -> None:
    """As in a heading that is repeated in the text."""
    assert Worded("The Keeper lights the lantern").repeats(Worded("the keeper lights the lantern"))
