"""Official data are downloaded when a job needs them, kept, and never asked for again."""

import hashlib
import subprocess
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.io import savemat

Run = Callable[..., subprocess.CompletedProcess[str]]
SOURCE = "results/mine/data/mine/source.npz"


class Server(ThreadingHTTPServer):
    """Serves the files of a folder at 127.0.0.1 and notes what was asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(Handler, directory=folder))
        self.asked: list[str] = []


class Handler(SimpleHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        self.server.asked.append(self.path)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    folder = tmp_path / "www"
    folder.mkdir()
    savemat(folder / "cube.mat", {"cube": np.arange(400, dtype=np.uint16).reshape(5, 5, 16)})
    savemat(folder / "gt.mat", {"gt": np.eye(5, dtype=np.uint8)})
    with Server(folder) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def overlay(tmp_path: Path, server: Server, *wrong: str) -> list[str]:
    """Arguments that name an overlay with a dataset of two files, which has some wrong addresses first."""

    def file(name: str) -> dict[str, Any]:
        content = (tmp_path / "www" / f"{name}.mat").read_bytes()
        urls = [*wrong, f"http://127.0.0.1:{server.server_port}/{name}.mat"]
        return {"path": f"mine/{name}.mat", "sha256": hashlib.sha256(content).hexdigest(), "urls": urls}

    mine = {"kind": "scene", "title": "Mine", "class_names": ["a"], "cube": file("cube"), "ground_truth": file("gt")}
    subjects = {"diverget": {"dataset": ["sim_pavia"], "model": ["hybridsn"], "compression": ["ptq_int8"]}}
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({"scale": "mine", "datasets": {"mine": mine}, "subjects": subjects, "all": []}))
    return ["--configfile", str(path)]


@pytest.mark.slow
def test_downloads_are_shared_by_runs_and_addresses_rerun_nothing(
    snakemake: Run, tmp_path: Path, server: Server
) -> None:
    config = overlay(tmp_path, server)
    planned = snakemake("-n", SOURCE, *config)
    assert planned.returncode == 0, planned.stderr
    assert server.asked == []

    done = snakemake(SOURCE, *config)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(server.asked) == ["/cube.mat", "/gt.mat"]
    assert sorted(path.name for path in (tmp_path / "resources" / "mine").iterdir()) == ["cube.mat", "gt.mat"]
    made = (tmp_path / SOURCE).read_bytes()

    config = overlay(tmp_path, server, "http://127.0.0.1:9/elsewhere")
    for places in ([], ["--config", "data={source: mirror, mirror: elsewhere, downloads: other}"]):
        again = snakemake(SOURCE, *config, *places)
        assert "Nothing to be done" in again.stdout + again.stderr

    (tmp_path / SOURCE).unlink()
    assert snakemake(SOURCE, *config).returncode == 0
    assert (tmp_path / SOURCE).read_bytes() == made
    assert len(server.asked) == 2


@pytest.mark.slow
def test_without_network_a_job_says_so_in_one_line(snakemake: Run, tmp_path: Path, server: Server) -> None:
    config = overlay(tmp_path, server, "http://mirror.invalid/x")
    (tmp_path / "www" / "cube.mat").write_text("<html>maintenance</html>")
    done = snakemake(SOURCE, *config)
    assert done.returncode != 0
    [line] = [line for line in done.stderr.splitlines() if line.startswith("quantrift: ")]
    assert "mine/cube.mat: not in any mirror, and none of its addresses serves it (mirror.invalid: " in line
    assert "sends 24 bytes that are not the official file" in line
    assert "check the network, or put the official file into a folder" in line
    assert not list((tmp_path / "resources").rglob("*.*"))
    assert not list((tmp_path / "results").rglob("*.npz"))
