"""A repository as the people in a story use it: they open issues, comment, label, and look at what stands there.

What they do is told to the connected app (`FakeGitHub.connect`) before the call returns.
"""

from __future__ import annotations

from tests.github import payloads
from tests.github.backend import Backend
from tests.github.hookshot import Hookshot
from tests.github.shapes import JSON, REACTIONS
from tests.github.state import Comment, Issue, Reaction, Repo, Role, Suggestion

_LEGACY = {"none": "none", "read": "read", "triage": "read", "write": "write", "maintain": "write", "admin": "admin"}


class RepoStory:
    """Made by `FakeGitHub.repo`. Every method is safe to call while the bot works."""

    def __init__(self, backend: Backend, hookshot: Hookshot, repo: Repo) -> None:
        self._backend = backend
        self._hookshot = hookshot
        self.state = repo
        """The repository itself, for switches such as `archived` and `has_issues`."""

    @property
    def full_name(self) -> str:
        return self.state.full_name

    # -- people act ----------------------------------------------------------------------------------------------

    def open_issue(
        self, *, title: str, body: str | None = "", author: str = "reporter", pull_request: bool = False
    ) -> Issue:
        with self._backend.lock:
            issue = self._backend.open_issue(
                self.state, title=title, body=body, author=author, app=None, pull_request=pull_request
            )
        self._hookshot.settle()
        return issue

    def edit_issue(
        self, issue: Issue, *, title: str | None = None, body: str | None = None, by: str | None = None
    ) -> Issue:
        with self._backend.lock:
            self._backend.edit_issue(issue, by=by or issue.author, title=title, body=body)
        self._hookshot.settle()
        return issue

    def close_issue(self, issue: Issue, *, by: str | None = None, reason: str = "completed") -> None:
        with self._backend.lock:
            self._backend.set_issue_state(issue, "closed", by=by or issue.author, reason=reason)
        self._hookshot.settle()

    def reopen_issue(self, issue: Issue, *, by: str | None = None) -> None:
        with self._backend.lock:
            self._backend.set_issue_state(issue, "open", by=by or issue.author)
        self._hookshot.settle()

    def comment(self, issue: Issue, author: str, body: str) -> Comment:
        """A person comments; a login ending in `[bot]` is another bot."""
        with self._backend.lock:
            comment = self._backend.add_comment(issue, author=author, body=body)
        self._hookshot.settle()
        return comment

    def edit_comment(self, issue: Issue, comment: Comment, body: str, *, by: str | None = None) -> None:
        with self._backend.lock:
            self._backend.edit_comment(issue, comment, by=by or comment.author, body=body)
        self._hookshot.settle()

    def delete_comment(self, issue: Issue, comment: Comment, *, by: str = "maintainer") -> None:
        with self._backend.lock:
            self._backend.user(by)
            self._backend.delete_comment(issue, comment, by=by)
        self._hookshot.settle()

    def react(self, to: Issue | Comment, content: str, *, by: str) -> None:
        """Reactions send no webhook. Raises ValueError for one that GitHub does not know."""
        if content not in REACTIONS:
            raise ValueError(f"{content!r} is none of {REACTIONS}")
        with self._backend.lock:
            self._backend.user(by)
            now, number = self._backend.now(), self._backend.state.next_id()
            to.reactions.append(Reaction(id=number, user=by, content=content, created_at=now))

    def label(self, issue: Issue, *names: str, by: str = "maintainer") -> None:
        with self._backend.lock:
            for name in names:
                self._backend.label_issue(issue, name, by=by)
        self._hookshot.settle()

    def unlabel(self, issue: Issue, name: str, *, by: str = "maintainer") -> None:
        with self._backend.lock:
            self._backend.unlabel_issue(issue, name, by=by)
        self._hookshot.settle()

    def dismiss_suggestion(self, issue: Issue, label: str, *, by: str = "maintainer") -> None:
        """A maintainer waves a pending suggestion away. Raises StopIteration when there is none."""
        with self._backend.lock:
            found = next(each for each in issue.suggestions if each.label == label and each.state == "pending")
            found.state, found.resolved_by = "dismissed", self._backend.user(by).login

    def lock(self, issue: Issue, *, reason: str = "too heated") -> None:
        with self._backend.lock:
            issue.locked, issue.lock_reason = True, reason

    def delete_issue(self, issue: Issue) -> None:
        with self._backend.lock:
            issue.deleted = True

    def transfer(self, issue: Issue, to: RepoStory) -> Issue:
        """Move the issue; the old address answers 301 from now on. Returns the issue at its new place."""
        with self._backend.lock:
            moved = self._backend.open_issue(
                to.state, title=issue.title, body=issue.body, author=issue.author, app=issue.app
            )
            issue.moved_to = (to.state.id, moved.number)
        self._hookshot.settle()
        return moved

    # -- how the repository is set up ----------------------------------------------------------------------------

    def create_labels(self, *names: str) -> None:
        with self._backend.lock:
            for name in names:
                self._backend.create_label(self.state, name)

    def delete_label(self, name: str) -> None:
        """It vanishes from the repository and from every issue."""
        with self._backend.lock:
            gone = self.state.label(name)
            if gone is not None:
                self.state.labels.remove(gone)
                for issue in self.state.issues.values():
                    issue.labels = [each for each in issue.labels if each != gone.name]

    def set_role(self, login: str, role: str, *, permission: str | None = None) -> None:
        """`role` is one of GitHub's (none, read, triage, write, maintain, admin) or a custom one with its
        legacy `permission` beside it."""
        with self._backend.lock:
            self._backend.user(login)
            legacy = permission or _LEGACY[role]
            self.state.roles[login.lower()] = Role(role_name=role, permission=legacy)

    def write_file(self, path: str, text: str) -> None:
        with self._backend.lock:
            self.state.files[path] = text

    def delete_file(self, path: str) -> None:
        with self._backend.lock:
            self.state.files.pop(path, None)

    def rename(self, name: str) -> None:
        """The old name answers 301 from now on."""
        with self._backend.lock:
            repos, old = self._backend.state.repos, self.state.full_name.lower()
            del repos[old]
            self.state.name = name
            repos[self.state.full_name.lower()] = self.state
            self._backend.state.renamed[old] = self.state.id
            for issue in self.state.issues.values():
                issue.repo = self.state.full_name

    # -- what stands there ---------------------------------------------------------------------------------------

    def comments(self, issue: Issue, *, by: str | None = None) -> list[Comment]:
        """All that exist, listed yet or not."""
        with self._backend.lock:
            return [each for each in issue.comments if by is None or each.author == by]

    def suggestions(self, issue: Issue, *, state: str = "pending") -> list[Suggestion]:
        with self._backend.lock:
            return [each for each in issue.suggestions if state in ("all", each.state)]

    def labels(self, issue: Issue) -> list[str]:
        with self._backend.lock:
            return list(issue.labels)

    def reactions(self, to: Issue | Comment, *, by: str | None = None) -> list[str]:
        with self._backend.lock:
            return [each.content for each in to.reactions if by is None or each.user == by]

    # -- payloads, to be delivered by hand -----------------------------------------------------------------------

    def payload(
        self,
        issue: Issue,
        action: str = "opened",
        *,
        comment: Comment | None = None,
        sender: str | None = None,
        changes: JSON | None = None,
    ) -> JSON:
        """The webhook payload of an `issues` event or, with a comment, of an `issue_comment` event."""
        with self._backend.lock:
            by = sender or (comment.author if comment else issue.author)
            self._backend.user(by)
            return payloads.about_issue(
                self._backend.state, issue, action=action, sender=by, comment=comment, changes=changes
            )
