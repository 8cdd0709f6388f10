"""The write limiter: a gap, two windows, one writer at a time, and never a long sleep."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from bot.github.limits import WriteLimiter
from bot.github.port import Later
from tests.conftest import FakeClock


def limiter(clock: FakeClock, **changes: Any) -> WriteLimiter:
    return WriteLimiter(clock=clock, sleep=clock.sleep, **changes)


def write(limits: WriteLimiter, *, creates: bool = True) -> None:
    with limits.writing(creates=creates):
        pass


def test_the_first_write_does_not_wait_and_the_next_one_waits_for_its_gap(clock: FakeClock) -> None:
    limits, start = limiter(clock), clock.now
    write(limits)
    assert clock.now == start
    write(limits)
    assert clock.now == start + 1.0
    clock.advance(0.4)
    write(limits, creates=False)
    assert clock.now == pytest.approx(start + 2.0)


def test_the_gap_counts_from_the_end_of_a_write_that_failed_too(clock: FakeClock) -> None:
    limits = limiter(clock)

    def fail() -> None:
        with limits.writing(creates=True):
            clock.advance(10)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    before = clock.now
    write(limits)
    assert clock.now == before + 1.0


def test_a_long_wait_is_for_later_and_not_slept(clock: FakeClock) -> None:
    limits = limiter(clock, seconds_between_writes=0, creations_per_minute=2)
    write(limits)
    clock.advance(10)
    write(limits)
    before = clock.now
    with pytest.raises(Later) as caught:
        write(limits)
    assert caught.value.after_seconds == pytest.approx(50.0)
    assert clock.now == before
    write(limits, creates=False)
    clock.advance(50)
    write(limits)


def test_an_hour_has_its_own_limit(clock: FakeClock) -> None:
    limits = limiter(clock, seconds_between_writes=0, creations_per_minute=80, creations_per_hour=3)
    for _ in range(3):
        write(limits)
        clock.advance(120)
    with pytest.raises(Later) as caught:
        write(limits)
    assert caught.value.after_seconds == pytest.approx(3600 - 360)


def test_a_short_wait_for_the_window_is_slept(clock: FakeClock) -> None:
    limits = limiter(clock, seconds_between_writes=0, creations_per_minute=1)
    write(limits)
    clock.advance(57)
    before = clock.now
    write(limits)
    assert clock.now == pytest.approx(before + 3)


def test_a_pause_that_github_asked_for_holds_reads_and_writes(clock: FakeClock) -> None:
    limits = limiter(clock)
    limits.pause(30)
    limits.pause(10)
    for attempt in (limits.check, lambda: write(limits)):
        with pytest.raises(Later) as caught:
            attempt()
        assert caught.value.after_seconds == pytest.approx(30)
    clock.advance(30)
    limits.check()
    write(limits)


def test_writes_never_overlap() -> None:
    limits = WriteLimiter(seconds_between_writes=0)
    inside, most = 0, 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with limits.writing(creates=False):
                with lock:
                    inside += 1
                    most = max(most, inside)
                with lock:
                    inside -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_who_waits_too_long_for_another_writer_comes_back_later() -> None:
    limits = WriteLimiter(seconds_between_writes=0, longest_sleep_seconds=0.01)
    caught: list[Exception] = []

    def other() -> None:
        try:
            write(limits)
        except Later as error:
            caught.append(error)

    with limits.writing(creates=True):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert [type(error) for error in caught] == [Later]


@pytest.mark.parametrize("name", ["creations_per_minute", "creations_per_hour"])
def test_a_limit_of_nothing_is_a_mistake(name: str, clock: FakeClock) -> None:
    with pytest.raises(ValueError, match="at least one"):
        limiter(clock, **{name: 0})
