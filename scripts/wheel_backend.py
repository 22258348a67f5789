"""The build of a wheel: setuptools, after the dashboard was built where Node is there to build it.

Without Node a wheel is made all the same, because `pip install .` has to work there; its pages say what is missing.
"""

import shutil
import sys
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import build_editable as build_editable
from setuptools.build_meta import build_sdist as build_sdist
from setuptools.build_meta import get_requires_for_build_editable as get_requires_for_build_editable
from setuptools.build_meta import get_requires_for_build_sdist as get_requires_for_build_sdist
from setuptools.build_meta import get_requires_for_build_wheel as get_requires_for_build_wheel
from setuptools.build_meta import prepare_metadata_for_build_editable as prepare_metadata_for_build_editable
from setuptools.build_meta import prepare_metadata_for_build_wheel as prepare_metadata_for_build_wheel

HOUSE = Path(__file__).resolve().parent.parent
MANIFEST = HOUSE / "src" / "footfall" / "shells" / "http" / "static" / "built" / "manifest.json"


def build_wheel(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Build the dashboard unless it is there, then the wheel."""
    if not MANIFEST.exists() and (HOUSE / "web" / "package.json").exists():
        if shutil.which("npm") and shutil.which("node"):
            from dashboard import build_dashboard

            build_dashboard()
        else:
            print("No Node here, so this wheel has no dashboard; install nodejs and npm to have it.", file=sys.stderr)
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
