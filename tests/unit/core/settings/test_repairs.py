"""Impossible repairs and attacks are refused in one line before anything runs."""

from pathlib import Path
from typing import Any

import pytest
from tests.factories import configurations

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.core.settings.compressions import trains
from quantrift.study.compression.methods.homogeneous import Settings as Homogeneous
from quantrift.study.compression.methods.ptq_int8 import Settings as PtqInt8
from quantrift.study.planning.result_files import Results
from quantrift.study.results.targets.target import Searching

SHA = "0" * 64


def repair_of(compression: str) -> dict[str, Any]:
    return {"subjects": {"repair": {"compression": [compression]}}, "protocols": {"repair": {"agree": []}}}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (repair_of("ptq_int8"), r"'ptq_int8', which cannot be trained on \(method ptq_int8 does not train\); valid: "),
        (repair_of("linear_8bit"), "method linear does not train"),
        (repair_of("homogeneous_4"), "form post_training does not train; take form: trained"),
        ({"targets": {"repair": {"tools": ["triggerfindr"]}}}, "unknown tool 'triggerfindr'; did you mean"),
        ({"targets": {"triggerfinder_adversarial": {"attacks": ["fgm"]}}}, "unknown attack 'fgm'; did you mean 'fgsm'"),
        ({"attacks": {"fgsm": {"radius": 2}}}, "attacks.fgsm"),
        (
            {
                "models": {"mine": {"source": "file", "original": {"path": "m.tflite", "sha256": SHA},
                                    "compressed": {"small": {"path": "s.tflite", "sha256": SHA}}}},
                "subjects": {"triggerfinder_adversarial": {"model": ["mine"], "compression": ["small"]}},
            },
            "models.mine of 'triggerfinder_adversarial' has a .tflite file",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(QuantriftError, match=message) as error:
        configurations.of_scale("paper", **settings)
    assert "\n" not in str(error.value)


def test_what_a_method_trains_can_be_trained_on() -> None:
    able = {name for name, settings in configurations.of_scale("paper").compressions.items() if trains(settings)}
    assert able == {"qat_int8", "qat_control", "prune", "distill"}
    assert trains(Homogeneous(method="homogeneous", bits=4, form="trained"))
    assert not trains(PtqInt8())


def test_a_repair_is_made_from_its_searches_and_a_table_of_attacks_from_its_subjects() -> None:
    config, paths = configurations.of_scale("paper"), Paths(Path("r"))
    files = [str(file) for file in Results(config, paths).files("repair")]
    assert files == [f"r/repair/mnist/lenet5/{name}/triggerfinder_code/repair.json" for name in
                     ("qat_int8", "prune", "distill")]  # fmt: skip
    files = [str(file) for file in Results(config, paths).files("triggerfinder_adversarial")]
    subjects = ("lenet1/ptq_int8", "lenet5/ptq_int8", "cnn/linear_8bit")
    assert files == [f"r/adversarial/mnist/{one}/{attack}.json" for one in subjects for attack in ("fgsm", "cw")]
    assert not isinstance(config.targets["triggerfinder_adversarial"], Searching), "it needs no searches"
