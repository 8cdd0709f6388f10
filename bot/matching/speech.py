"""Reported or talked about? What the words around a message make of it.

In a sentence a message counts only if the words right before or behind it report it (`it panics with`, `I get`, `the
error is`) and none says that it is another program's, wished for, expected, read somewhere, denied, or long gone.
Only a bounded stretch is looked at.
"""

from __future__ import annotations

import re

from bot.matching import vocabulary
from bot.matching.template import WORD

REACH = 160
"""Characters of the sentence before and behind a message."""
_INTRO = 400
_SECTION = 3_000
_MAX_LINKS = 8
_MAX_TAIL = 12
"""Signs and blanks between the last word and a message."""


def _phrases(text: str, form: str = r"\b(?:{})\b") -> re.Pattern[str]:
    """A pattern of phrases with commas between them, in which `*` stands for the rest of a word."""
    phrases = (re.escape(" ".join(phrase.split())) for phrase in text.split(","))
    return re.compile(form.format("|".join(phrase.replace(r"\*", r"\w*") for phrase in phrases)), re.IGNORECASE)


_VERBS = vocabulary.words(
    """gets got getting gotten receives received receiving sees saw seeing seen hits hitting encounters encountered
    encountering panics panicked panicking fails failed failing crashes crashed crashing aborts aborted aborting dies
    died stops stopped exits exited throws threw thrown throwing raises raised raising reports reported prints printed
    printing says said saying shows showed shown complains complained results resulted gives gave giving produces
    produced returns returned errored leads led causes caused triggers triggered runs ran running ends ended starts
    started begins began greeted met faces faced facing logs logged emits emitted tells told states reads yields
    stuck"""
)
"""What a writer says who reports a message."""
_PLURAL_VERBS = vocabulary.words(
    """get receive see hit encounter panic fail crash abort die stop exit throw raise report print say show complain
    result give produce return lead cause trigger run end start begin face log emit read yield"""
)
"""The same after `I`, `to` or a plural; elsewhere they may be a wish, a noun or a command."""
_SUBJECTS = vocabulary.words(
    "i we you they to and then always now just still sometimes often also both only all can usually which that"
)
_NOUNS = vocabulary.words(
    """error errors exception exceptions message panic output outputs log stderr stdout console traceback backtrace
    trace err fatal crash failure"""
)
_COPULAS = vocabulary.words("is was are were occurs occurred happens happened appears appeared follows")
"""Words that make a report of a noun: `the error is …`."""
_LINKS = _NOUNS | vocabulary.words(
    """with by on in at of to into from due because me us them it out up back a an the this that these some following
    is was are were as like now then still just always here below only same instead again strange weird messages
    text kind one runtime another new for both either and occurs occurred happens happened appears appeared
    follows"""
)
"""Words that may stand between the report and the message."""
_SPEAKING = vocabulary.words(
    """replace replaces replaced replacing change changes changed changing avoid avoids avoiding prevent prevents
    suppress catch catches about without among variant mean means mention mentions mentioned mentioning called named
    similar different confusing misleading unclear unhelpful cryptic document documents documented describe describes
    define defines contain contains add adds added adding remove removes removed such read lists where whether how
    against reproduce"""
)
"""What a writer says right before a message that is only spoken of."""
_DENIALS = vocabulary.words("not no never nobody none cannot unable without")
_SOLVING = _phrases("fix, solve, resolve, get rid of, deal with, debug, get past, work around")
_ASKED_HOW = re.compile(r"\bhow (?:can|do|could|should|would|to)\b", re.IGNORECASE)
_TALK = _phrases(
    """unlike, suggest*, propos*, renam*, reword*, rephras*, translat*, no longer, used to, previously, formerly,
    in the past, was fixed, is fixed, already fixed, resolved, wonder*, grep*, search for, searched for, searching for,
    search the, imagine, suppose, hypothetical*, who, somebody, someone, people, a friend, before 0, before v0, until 0,
    until v0, prior to, documentation, docs, docstring, doc comment, the comment, the book, the guide, readme,
    changelog, according to, in the source, in the code, in your code, in our code, from the source, at the code,
    the code has, the source has, reading, pytorch says, pytorch prints, pytorch raises, pytorch throws, pytorch has,
    pytorch also, torch raises, tensorflow says, tensorflow raises, tensorflow has, jax raises, jax has, numpy raises,
    keras raises, candle says, candle raises, candle has, test checks, test expects, test asserts, tests check,
    messages like, messages such as, texts like, errors like, errors such as, panics like, strings like, add a check,
    add an error, add a panic, wording, phrase, literal, text of, text in, string in, what does, meaning of, one gets,
    one got, one sees, maybe, perhaps, why not, why is there no, why isn't, why doesn't, how about, what if, what about,
    would be nice, nice to, nicer to, great to, better to, had better, a lint, whose, typo"""
)
"""Anywhere in the sentence before a message."""
_ASIDE = re.compile(
    r"^[\s\"'`(*_-]{0,8}(?:(?:under|in|at|on|from) which|which|where|when (?:do|does|would|will|is|are)"
    r"|(?:do|does|did|is|are|was|should|would|could|can|will) (?!I\b|we\b))\b",
    re.IGNORECASE,
)
"""How a question begins that is asked about a message."""
_WISH = re.compile(
    r"\b(?:(?:should|could|would|must|might|may|ought to|needs? to|want(?:s|ed)? (?:it )?to|let's|let us|please|let me)"
    r"(?: (?:rather|instead|just|simply|also|then|not|now))?"
    r" (?:say|print|read|be|show|report|panic|fail|return|throw|raise|emit|give|get|tell|have|see|add|replace)"
    r"|(?:I|we|you|one|they|it|that)'d|expect(?:s|ed|ing)?|in (?:pytorch|tensorflow|jax|numpy|keras|python)"
    r"|in candle the same)\b",
    re.IGNORECASE,
)
"""In the last clause before a message."""
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|fix(?:es|ed)? (?:for|of)|reason for|not the same as)\W{0,12}\Z|#\d{1,7}\W{0,12}\Z",
    re.IGNORECASE,
)
_REPORT_AFTER = _phrases(
    """what I get, what I got, what we get, what I see, what I saw, is what I get, is what we get, is what I see,
    is all I get, is the error, is the message, is the panic, was the error, is printed, was printed, is thrown,
    is raised, was raised, was thrown, is shown, is reported, is logged, appears, appeared, occurs, occurred, happens,
    happened, shows up, comes up, pops up, came up, error when, error on, error in, error with, error while,
    error during, error after, error at, error from, error for, error if, panic when, panic on, panic in, panic with,
    panic while, panic during, panic after, panic at, panic for, exception when, exception in, message when, when I,
    when we, when running, when calling, when training, when using, when loading, when trying, when doing, when the,
    when a, while running, while training, while calling, while loading, while using, after upgrading, after running,
    after calling, after training""",
    r"[^\w\n]{{0,6}}(?:{})\b",
)
_TALK_AFTER = _phrases(
    """anymore, any more, say, says, should *, could *, would *, must *, might *, may *, to the list, in the docs,
    in the documentation, in the source, in the code, in the changelog, in the book, in the readme, in the tests,
    in its docs, in your docs, in our docs, no longer *, lacks, has a, needs, doesn't *, does not *, went away, is gone,
    was gone, is fixed, was fixed, is mention*, is document*, is describ*, is quot*, is listed, was mention*, is only *,
    is confus*, is mislead*, is unclear, is unhelpful, is wrong, is outdated, is vague, is cryptic, is ambiguous,
    is incorrect, is bad, is poor, is useless, is hard, is too, is very, is not, is a, is an, isn't *, seems *, looks *,
    sounds *, feels *, exist*, which is right, which is correct, which is fine, which is expected, which is good,
    as expected, as documented, as it should""",
    r"[^\w\n]{{0,6}}(?:{})\b",
)
_GONE = re.compile(r"[^.\n]{0,40}\b(?:any ?more|says the)\b", re.IGNORECASE)
_CLAUSES = re.compile(r"[,;]\s|\s(?:but|however|yet|though|although|and then|-|\u2013|\u2014)\s")
_HEADING = re.compile(r"^[ \t>]{0,4}(?:#{1,6}[ \t]*([^\n]{1,120})|\*\*([^\n*]{1,80})\*\*:?[ \t]*)$", re.MULTILINE)
_WISHED_SECTION = _phrases("expect*, desir*, propos*, suggest*, solution*, alternativ*, feature*, wish*, ideal*")
_REAL_SECTION = _phrases("actual*, unexpected, observed, current*, instead")
_REQUEST_TITLE = re.compile(
    r"^\W*(?:feature|proposal|propose|rfc|tracking|tracker|add|adding|support|implement|allow|improve|better|rename"
    r"|reword|document|docs?|documentation|discussion|idea|suggestion|enhancement|consider|make|expose|provide"
    r"|remove|delete|drop|replace|change|return|deprecate|refactor|clarify|explain|translate|typo"
    r"|should|can we|could we|please add)\b|feature request|\bproposal\b",
    re.IGNORECASE,
)


def is_request(title: str) -> bool:
    """Whether the title asks for something rather than reports something."""
    return _REQUEST_TITLE.search(title) is not None


def reported(before: str, after: str) -> bool:
    """Whether the sentence says that it was printed. `before` and `after`: the rest of the sentence, or more."""
    words, links = _walk(before)
    if _says(words):
        return True
    noun = next((n for n, word in enumerate(links) if word in _NOUNS), None)
    mark = before[-_MAX_TAIL:].rstrip(" \t\n`\"'*_>")[-1:]
    if noun is not None and (mark in (":", "=") or any(word in _COPULAS for word in links[noun:])):
        return True
    how = _ASKED_HOW.search(before)
    return (how is not None and _SOLVING.search(before, how.end()) is not None) or _REPORT_AFTER.match(
        after
    ) is not None


def talk(before: str, after: str = "") -> str | None:
    """The words that show that the sentence talks about a message which it does not report."""
    words, links = _walk(before)
    clause = _CLAUSES.split(before)[-1]
    found = _TALK.search(before) or _INSTEAD.search(before) or _ASIDE.match(before) or _WISH.search(clause)
    found = found or _TALK_AFTER.match(after) or _GONE.match(after)
    if found:
        return found[0].strip(" \n\"'`*:(.,")
    verb = _says(words) or (bool(words) and words[-1] in _PLURAL_VERBS)
    near = [*words[-3 if verb else -1 :], *links]
    return next((word for word in near if word in _DENIALS or word.endswith("n't")), None) or next(
        (word for word in (*words[-1:], *links) if word in _SPEAKING), None
    )


def _says(words: list[str]) -> bool:
    """Whether the last word is a verb that reports."""
    if not words or words[-1] in _VERBS:
        return bool(words)
    if words[-1] not in _PLURAL_VERBS or len(words) < 2:
        return False
    return words[-2] in _SUBJECTS or words[-2].endswith(("s", "ly"))


def _walk(before: str) -> tuple[list[str], list[str]]:
    """The words before a message up to the first that is no link, and the links between it and the message."""
    words = WORD.findall(before.lower())
    at = len(words)
    while at > 0 and len(words) - at < _MAX_LINKS and words[at - 1] in _LINKS:
        at -= 1
    return words[:at], words[at:]


def sentence_before(text: str, start: int, low: int) -> str:
    """The beginning of the sentence that `start` stands in."""
    piece = text[max(low, start - REACH) : start]
    for stop in (". ", "! ", "? ", ".\n", "\n\n", "\n- ", "\n* "):
        if (at := piece.rfind(stop)) >= 0:
            piece = piece[at + len(stop) :]
    return piece


def wished(text: str, start: int, low: int) -> str | None:
    """What stands before the line or block that begins at `start`, if it says that this should be printed, or is
    what another program prints.
    """
    above = text[max(low, start - _INTRO) : start].rstrip(" \t\n>`~*")
    line = above[above.rfind("\n") + 1 :]
    if line.endswith(":") or text.count("\n", max(low, start - _INTRO) + len(above), start) < 2:
        found = talk(sentence_before(line, len(line), 0))
        if found:
            return found
    sections = _HEADING.findall(text, max(low, start - _SECTION), start)
    if not sections:
        return None
    name: str = sections[-1][0] or sections[-1][1]
    return name.strip() if _WISHED_SECTION.search(name) and not _REAL_SECTION.search(name) else None
