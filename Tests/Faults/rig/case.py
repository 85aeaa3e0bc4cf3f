"""The list of cases, and how one says that it cannot be tried here."""

from dataclasses import dataclass
from typing import Callable

ALL = []


class Skip(Exception):
    """The machine lacks what this case needs."""


@dataclass
class Case:
    name: str
    row: str
    run: Callable
    needs: tuple


def case(row, needs=()):
    """Enters a function into the list.

    row: what of the fault matrix it stands for, in words for the report.
    needs: tools without which it cannot run.
    """

    def enter(function):
        ALL.append(Case(function.__name__, row, function, tuple(needs)))
        return function

    return enter


def expect(truth, words):
    """A check that no `python -O` takes away."""
    if not truth:
        raise AssertionError(words)
