"""Blocks of networks of a bit study: each network in one, as many in each as a job of the wanted length takes."""

from hypothesis import given
from hypothesis import strategies as st
from tests.factories import configurations

from quantrift.core.settings.bit_studies import BitStudy
from quantrift.study.planning import bit_blocks, jobs, work
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.root import Config
from quantrift.study.planning.work import Bits

MLP = Bits("mnist", "mlp", "bits_homogeneous")


def units(config: Config, rule: str, bits: Bits, block: str) -> float:
    names = {"dataset": bits.dataset, "model": bits.model, "study": bits.study, "networks": block}
    work = jobs.units(config, Job(rule, names))
    assert work is not None
    return work


@given(st.integers(1, 9), st.integers(1, 6), st.integers(1, 60))
def test_blocks_hold_every_network_once_in_order_and_none_too_many(settings: int, repetitions: int, most: int) -> None:
    study = BitStudy(
        dataset=["mnist"], model=["mlp"], settings=[f"s{one}" for one in range(settings)], repetitions=repetitions
    )
    names = bit_blocks.of_length(study, most)
    blocks = [bit_blocks.networks(study, name) for name in names]
    assert [network for block in blocks for network in block] == bit_blocks.networks(study)
    assert max(map(len, blocks)) <= most
    assert names == sorted(names)


def test_a_job_takes_as_many_networks_as_the_wanted_training_inputs_allow(paper: Config) -> None:
    each = int(units(paper, "train_bits", MLP, "networks_000-000"))
    for wanted, size in ((7 * each, 7), (8 * each - 1, 7), (each - 1, 1)):
        own = configurations.of_scale("paper", engine={"block_trainings": wanted})
        names = [f"networks_{first:03d}-{first + size - 1:03d}" for first in range(0, 35, size)]
        assert work.network_blocks(own, MLP) == names


def test_long_trainings_have_jobs_of_their_own_and_short_ones_share_one(paper: Config) -> None:
    assert len(work.network_blocks(paper, MLP)) == 35
    demo = configurations.of_scale()
    assert len(work.network_blocks(demo, MLP._replace(dataset="digits"))) == 1


def test_work_is_that_of_the_networks_of_a_block(paper: Config) -> None:
    bits = MLP._replace(study="bits_3_6")
    assert units(paper, "train_bits", bits, "networks_000-034") == 5 * units(
        paper, "train_bits", bits, "networks_000-006"
    )
    # Of three settings of five networks each, the first and the third are attacked.
    assert units(paper, "attack_bits", bits, "networks_000-014") == 2 * units(
        paper, "attack_bits", bits, "networks_000-004"
    )
