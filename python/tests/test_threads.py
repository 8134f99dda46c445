"""Python's lock is free while Lipkin works; two threads do not step one simulation."""
import os
import signal
import threading
import time

import pytest

import lipkin


def counted_while(work):
    """How far another thread of Python counts while `work` runs."""
    count, done = [0], threading.Event()

    def counter():
        while not done.is_set():
            count[0] += 1

    thread = threading.Thread(target=counter)
    thread.start()
    before = count[0]
    work()
    counted = count[0] - before
    done.set()
    thread.join()
    return counted


def long_chain():
    return lipkin.Simulation("chain", set={"n": 60}, stepper="rk4", dt=1e-4)


@pytest.mark.parametrize("work", [lambda s: s.step(1500), lambda s: s.run(0.15, record=False)])
def test_other_threads_run_meanwhile(work):
    simulation = long_chain()
    # With the lock held throughout, the other thread would not count at all.
    assert counted_while(lambda: work(simulation)) > 1000


def test_other_threads_run_while_a_batch_steps():
    batch = lipkin.Batch("chain", 512, set={"n": 30}, dt=1e-4)
    assert counted_while(lambda: batch.step(100)) > 1000


def test_another_thread_is_refused_meanwhile():
    simulation = long_chain()
    refused = []

    def look():
        deadline = time.monotonic() + 20
        while not refused and time.monotonic() < deadline:
            try:
                simulation.energy
            except lipkin.InvalidArgument as error:
                refused.append(str(error))

    thread = threading.Thread(target=look)
    thread.start()
    while thread.is_alive():
        try:
            simulation.step(2000)
        except lipkin.InvalidArgument:  # the other thread is looking, which takes the lock but no time
            pass
    thread.join()
    assert refused == ["another thread steps this simulation; wait for it, or give each thread its own"]


def test_threads_within_a_step_do_not_matter():
    hashes = set()
    for threads in (1, 2, 3):
        pile = lipkin.Simulation("box-stack", threads=threads)
        pile.step(50)
        pile.reset()
        pile.step(50)
        hashes.add(pile.state_hash)
    assert len(hashes) == 1
    with pytest.raises(lipkin.InvalidArgument, match="expected 1 or more"):
        lipkin.Simulation("box-stack", threads=0)


def test_threads_with_simulations_of_their_own_agree():
    hashes = [None] * 4

    def work(i):
        simulation = lipkin.Simulation("double-pendulum")
        simulation.run(0.2)
        hashes[i] = simulation.state_hash

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hashes[0] is not None and len(set(hashes)) == 1


def test_interrupt_stops_a_run():
    simulation = long_chain()
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        simulation.run(1e6, record=False)
    timer.join()
    simulation.step()
