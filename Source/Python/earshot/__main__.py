"""Prints the events of recordings as CSV, as `earshot analyze --format csv` does. For more, see that."""

from __future__ import annotations

import argparse
import sys
from typing import Optional, Sequence

from . import Error, Model, __version__
from ._events import csv_text


def _parse(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m earshot", description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE", help="recordings")
    parser.add_argument("--model", metavar="M", help="model file (else $EARSHOT_MODEL, else the default model)")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="threads of the network (default: the cores)")
    parser.add_argument("--threshold", type=float, metavar="P", help="probability from which a sound counts, 0 to 1")
    parser.add_argument("--only", metavar="LABEL,...", help="report these sounds only")
    parser.add_argument("--version", action="version", version=f"earshot {__version__}")
    return parser.parse_args(arguments)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Returns 0, 1 if a recording failed, 2 if a choice is wrong, 130 after Ctrl-C."""
    options = _parse(arguments)
    failed = False
    try:
        model = Model(options.model, options.threads)
        rules = {"threshold": options.threshold, "only": options.only.split(",") if options.only else None}
        sys.stdout.write(csv_text([]))
        for file in options.files:
            try:
                events = model.analyze(file, **rules)
            except Error as error:
                print(f"earshot: {error}", file=sys.stderr)
                failed = True
                events = getattr(error, "events", None)
            if events is not None:
                sys.stdout.write(csv_text([events], header=False))
                sys.stdout.flush()
    except (Error, ValueError) as error:
        print(f"earshot: {error}", file=sys.stderr)
        return 1 if isinstance(error, Error) else 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # as after `| head`
        sys.stderr.close()
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
