"""Claims in the words of a story: this comment was meant, this edit, these suggestions, and nothing else."""

from __future__ import annotations

from tests.github.backend import Backend
from tests.github.front import Front
from tests.github.state import Comment, Issue, Suggestion, node_id
from tests.github.writes import Write


class Claims:
    """What a test may expect of the bot. Every method claims the writes it is about and raises AssertionError else."""

    front: Front
    backend: Backend

    def expect_comment(self, issue: Issue, *, containing: str = "", by: str | None = None) -> Comment:
        """Exactly one comment was posted on the issue; the comment as it stands now."""
        write = self.expect_comments(issue, 1)[0]
        comment = next((each for each in issue.comments if each.id == write.result["id"]), None)
        assert comment is not None, f"the comment was posted and is gone again: {write}"
        assert containing in comment.body, f"{containing!r} is not in the comment:\n{comment.body}"
        assert by in (None, comment.author), f"written by {comment.author}, not {by}"
        return comment

    def expect_comments(self, issue: Issue, times: int) -> list[Write]:
        return self.front.writes.claim("POST", f"/repos/{issue.repo}/issues/{issue.number}/comments", times=times)

    def expect_edit(self, comment: Comment, *, times: int = 1) -> list[Write]:
        """The comment was edited that often."""
        return self.front.writes.claim("PATCH", f"/repos/*/*/issues/comments/{comment.id}", times=times)

    def expect_deleted(self, comment: Comment) -> None:
        self.front.writes.claim("DELETE", f"/repos/*/*/issues/comments/{comment.id}")

    def expect_suggestions(self, issue: Issue, *labels: str) -> list[Suggestion]:
        """One request suggested exactly these labels (in any order), and they are pending; the suggestions."""
        (write,) = self.front.writes.claim(
            "POST", f"/repos/{issue.repo}/issues/{issue.number}/labels", where=lambda each: bool(_suggested(each))
        )
        assert sorted(_suggested(write)) == sorted(labels), f"suggested {_suggested(write)}, not {labels}"
        pending = [each for each in issue.suggestions if each.state == "pending" and each.label in labels]
        assert len(pending) == len(labels), f"not pending on the issue: {labels}"
        return pending

    def expect_labels(self, issue: Issue, *labels: str) -> None:
        """One request put exactly these labels on the issue (in any order)."""
        (write,) = self.front.writes.claim(
            "POST", f"/repos/{issue.repo}/issues/{issue.number}/labels", where=lambda each: not _suggested(each)
        )
        assert sorted(_names(write)) == sorted(labels), f"labelled {_names(write)}, not {labels}"

    def expect_unlabelled(self, issue: Issue, label: str) -> None:
        path = f"/repos/{issue.repo}/issues/{issue.number}/labels/{label}".lower()
        self.front.writes.claim("DELETE", "/**", where=lambda each: each.path.lower() == path)

    def expect_reaction(self, to: Issue | Comment, content: str) -> None:
        if isinstance(to, Comment):
            path = f"/repos/*/*/issues/comments/{to.id}/reactions"
        else:
            path = f"/repos/{to.repo}/issues/{to.number}/reactions"
        self.front.writes.claim("POST", path, where=lambda each: each.body == {"content": content})

    def expect_hidden(self, comment: Comment, *, reason: str | None = None) -> None:
        """The comment was minimised (`reason` in GraphQL's words) and still is."""
        node = node_id("IC", comment.id)
        self.front.writes.claim(
            "POST", "/graphql", where=lambda each: each.body["variables"]["input"]["subjectId"] == node
        )
        assert comment.minimized is not None, "the comment is shown"
        assert reason in (None, comment.minimized), f"hidden as {comment.minimized}, not {reason}"

    def expect_refused(self, method: str, path: str, *, status: int, times: int = 1) -> list[Write]:
        """These writes were tried and refused by the state of things (no scripted fault): nothing was stored."""
        return self.front.writes.claim(
            method, path, times=times, stored=False, where=lambda each: each.status == status
        )

    def expect_write(self, method: str, path: str, *, times: int = 1) -> list[Write]:
        """Any other write, by method and path pattern."""
        return self.front.writes.claim(method, path, times=times)

    def expect_no_writes(self) -> None:
        """Nothing was written that is not claimed yet: the same as at the end of the test, said now."""
        self.front.writes.assert_all_claimed()

    def assert_all_writes_asserted(self) -> None:
        """Raises AssertionError naming each write that no test asked for, each request that the fake cannot answer, and
        each mistake of the fake itself."""
        assert not self.front.crashes, f"the fake itself failed:\n{self.front.crashes[0]}"
        self.front.writes.assert_all_claimed()
        assert not self.front.unknown, f"requests for endpoints that the fake does not have: {self.front.unknown}"


def _names(write: Write) -> list[str]:
    entries = write.body["labels"] if isinstance(write.body, dict) else write.body
    return [each if isinstance(each, str) else each["name"] for each in entries]


def _suggested(write: Write) -> list[str]:
    entries = write.body["labels"] if isinstance(write.body, dict) else write.body
    return [each["name"] for each in entries if isinstance(each, dict) and each.get("suggest")]
