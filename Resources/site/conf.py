"""Sphinx's settings for the site, which CMake's target `site` makes of the project's Markdown files as they are.

Packages: python3-sphinx, python3-myst-parser, furo. The source folder is the project's top; the environment's
EARSHOT_VERSION is the version, and EARSHOT_REFERENCE is 1 if pages of earshot.h lie in reference/.
"""

import os

project = "Earshot"
author = "Earshot's developers"
version = release = os.environ.get("EARSHOT_VERSION", "")
html_title = f"Earshot {version}".strip()

extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Models/*.md", "Resources/manual/*.md",
                    "Resources/vocabulary/README.md", "Source/README.md", "Tests/README.md", "findings/README.md"]
myst_heading_anchors = 4  # links to headings, as GitHub makes them
suppress_warnings = ["myst.header"]  # the changelog's headings skip no level, but myst counts from each file's first

html_theme = "furo"
html_logo = "../earshot.svg"
html_favicon = "../earshot.svg"
html_extra_path = ["extra"]  # index.html
html_copy_source = False
html_show_sphinx = False

PARTS = {
    "Manual": ["plugin", "command-line", "archives", "models", "training", "evaluation", "systems", "troubleshooting",
               "measurements"],
    "In other programs": ["library", "python", "vamp"],
}
MORE = {"Models": ["Models/README", "Models/earshot-default", "Models/NOTES"],
        "Project": ["CHANGELOG", "CONTRIBUTING", "SECURITY", "Source/README", "Tests/README", "findings/README",
                    "Resources/vocabulary/README"]}


def tree(caption, pages):
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", ""])


def complete(app, name, source):
    """What GitHub's pages do without: the table of contents, and the way to the reference of earshot.h."""
    if name == root_doc:
        source[0] += "".join(tree(caption, [f"Resources/manual/{page}" for page in pages]) for caption, pages in PARTS.items())
        source[0] += "".join(tree(caption, pages) for caption, pages in MORE.items())
    if name == "Resources/manual/library" and os.environ.get("EARSHOT_REFERENCE") == "1":
        source[0] += '\n## Reference\n\n<a href="../../reference/index.html">Everything in earshot.h</a>\n'


def setup(app):
    app.connect("source-read", complete)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
