"""The old content or the complete new one, never something between."""

import os

import pytest

from picrules.persist.atomic import write_atomically


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "model.pic"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), write_atomically(path) as file:
        file.write(b"new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model.pic"]


def test_the_old_file_stays_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "model.pic"
    path.write_bytes(b"old")
    with write_atomically(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
        (part,) = set(os.listdir(tmp_path)) - {"model.pic"}
        assert part.startswith(".model.pic.")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["model.pic"]


def test_links_are_followed_and_pipes_written(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    with write_atomically(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"
    with write_atomically(os.devnull) as file:
        file.write(b"nothing")


def test_a_new_file_has_the_usual_permissions(tmp_path):
    with write_atomically(tmp_path / "new") as file:
        file.write(b"new")
    (tmp_path / "usual").write_bytes(b"")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.skipif(os.name != "posix", reason="no such permissions here")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o444])
def test_a_file_that_is_replaced_keeps_its_permissions(mode, tmp_path):
    """A private model file was readable by everyone after it had been saved again."""
    path = tmp_path / "model.pic"
    path.write_bytes(b"old")
    path.chmod(mode)
    with write_atomically(path) as file:
        file.write(b"new")
        (part,) = set(tmp_path.iterdir()) - {path}
        assert part.stat().st_mode & 0o077 == 0
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o7777 == mode


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError), write_atomically(tmp_path / "none" / "x"):
        pass
