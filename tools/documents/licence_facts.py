"""Licences read by hand, each with the file that states it, for packages whose metadata state none."""

IN_SOURCE = ("BSD-2-Clause", "LICENCE.rst of the source archive (the wheel has no licence file)")
STATED = {
    "alabaster": ("BSD-3-Clause", "LICENSE.rst"),
    "appnope": ("BSD-2-Clause", "LICENSE (the package is needed on macOS only)"),
    "astunparse": ("BSD-3-Clause AND PSF-2.0", "LICENSE"),
    "colorama": ("BSD-3-Clause", "LICENSE.txt (the package is needed on Windows only)"),
    "conda-inject": ("MIT", "LICENSE"),
    "coremltools": ("BSD-3-Clause", "LICENSE.txt"),
    "cycler": ("BSD-3-Clause", "LICENSE"),
    "docutils": (
        "LicenseRef-Public-Domain AND BSD-2-Clause",
        "COPYING.rst (rst.el, one file under GPL-3.0-or-later, is not installed)",
    ),
    "func-timeout": ("LGPL-3.0-only", "LICENSE and the head of the code (the metadata says LGPLv2)"),
    "gitdb": ("BSD-3-Clause", "LICENSE"),
    "sysrsync": ("MIT", "LICENSE"),
    "graphemeu": ("MIT", "LICENSE"),
    "ipython-pygments-lexers": ("BSD-3-Clause", "LICENSE"),
    "jinja2": ("BSD-3-Clause", "LICENSE.txt"),
    "kiwisolver": ("BSD-3-Clause", "LICENSE"),
    "matplotlib": ("LicenseRef-matplotlib", "LICENSE, on the model of PSF-2.0"),
    "mpmath": ("BSD-3-Clause", "LICENSE"),
    "namex": ("Apache-2.0", "LICENSE"),
    "nest-asyncio2": ("BSD-2-Clause", "LICENSE"),
    "packaging": ("Apache-2.0 OR BSD-2-Clause", "LICENSE"),
    "prompt-toolkit": ("BSD-3-Clause", "LICENSE"),
    "pyreadline3": ("BSD-3-Clause", "LICENSE.md (the package is needed on Windows only)"),
    "pysocks": ("BSD-3-Clause", "LICENSE"),
    "scipy": ("BSD-3-Clause", "LICENSE.txt"),
    "snakemake-interface-common": ("MIT", "LICENSE"),
    "snakemake-interface-logger-plugins": ("MIT", "LICENSE"),
    "snakemake-interface-report-plugins": ("MIT", "LICENSE"),
    "snakemake-interface-scheduler-plugins": ("MIT", "LICENSE"),
    "snakemake-interface-storage-plugins": ("MIT", "LICENSE"),
    "sphinxcontrib-applehelp": IN_SOURCE,
    "sphinxcontrib-devhelp": IN_SOURCE,
    "sphinxcontrib-htmlhelp": IN_SOURCE,
    "sphinxcontrib-jsmath": ("BSD-2-Clause", "LICENCE.rst"),
    "sphinxcontrib-qthelp": IN_SOURCE,
    "sphinxcontrib-serializinghtml": IN_SOURCE,
    "sympy": ("BSD-3-Clause AND MIT", "LICENSE"),
}
"""Package -> SPDX expression, and the files of the package that say so."""

SPELLED = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd 3-clause": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "gnu lesser general public license v3 (lgplv3)": "LGPL-3.0-only",
    "isc license (iscl)": "ISC",
    "lgplv3": "LGPL-3.0-only",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0",
}
"""Other spellings of licences, in lower case -> SPDX identifier; no spelling that several licences share."""

FFMPEG = ("LGPL-2.1-or-later", "FFmpeg")
GCC = ("GPL-3.0-or-later WITH GCC-exception-3.1", "run-time libraries of GCC")
LIBRARIES = {
    "libavcodec": FFMPEG,
    "libavdevice": FFMPEG,
    "libavfilter": FFMPEG,
    "libavformat": FFMPEG,
    "libavutil": FFMPEG,
    "libgcc_s": GCC,
    "libgfortran": GCC,
    "libgomp": GCC,
    "libquadmath": ("LGPL-2.1-or-later", "libquadmath of GCC, which libgfortran needs"),
    "libstdc++": GCC,
    "libswresample": FFMPEG,
    "libswscale": FFMPEG,
}
"""Beginning of the name of a shared library under a copyleft licence -> licence, and what it is."""
