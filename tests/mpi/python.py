# SPDX-License-Identifier: BSD-3-Clause
"""A ring of messages by mpi4py, whose MPI is loaded with a module; says what it sent. Started by messages.py."""
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
data = bytearray(100)
for _ in range(5):
    comm.Sendrecv([data, MPI.BYTE], (rank + 1) % size, 3, [bytearray(100), MPI.BYTE], (rank - 1) % size, 3)
half = comm.Split(rank % 2, rank)
half.Barrier()
half.Free()
print(f"rank {rank}: sent 5 500 received 5 500", flush=True)
