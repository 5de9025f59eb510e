# SPDX-License-Identifier: BSD-3-Clause
"""The constructs that the generated programs are made of (generate.py), for C, C++ and Fortran.

Each is a piece of a program that all threads of a parallel region run, or ("serial") that has regions of its own. `n` is
a variable there, or a constant. A line's mark, `//@ KIND...` (Fortran `!@`), says which constructs stand there: by the
name that their regions have, without "chunk" and "sblock", and without "create" of a task. '+' behind it: it implies a
barrier, whose line may be this one or that of the next mark `end`. '?' behind it: there may be nothing to see of it. '~'
behind it: where compilers put the construct above it, too; of loops not clang (generate.py). An '@' in the text stands
for the unit's number.
"""

C_INSIDE = {
    "static": """\
#pragma omp for schedule(static) //@ for+
for (int i = 0; i < n; i++) //@ for~
    add(i);
//@ end
""",
    "static_chunk": """\
#pragma omp for schedule(static, 1) //@ for+
for (int i = 0; i < n; i++) { //@ for~
    add(i);
    add(1);
} //@ end
""",
    "dynamic": """\
#pragma omp for schedule(dynamic) //@ for+
for (int i = 0; i < n; i++) { //@ for~
    add(i);
} //@ end
""",
    "guided": """\
add(1);
#pragma omp for schedule(guided, 2) //@ for+
for (int i = 0; i < n; i++) { //@ for~
    add(i);
} //@ end
""",
    "auto": """\
#pragma omp for schedule(auto) //@ for+
for (int i = 0; i < n; i++) { //@ for~
    add(i);
} //@ end
""",
    "runtime": """\
#pragma omp for schedule(runtime) //@ for+
for (int i = 0; i < n; i++) { //@ for~
    add(i);
} //@ end
""",
    "nowait": """\
#pragma omp for schedule(dynamic) nowait //@ for
for (int i = 0; i < n; i++) { //@ for~
    add(i);
}
#pragma omp for schedule(static) nowait //@ for
for (int i = 0; i < n; i++) { //@ for~
    add(i);
}
#pragma omp barrier //@ barrier
""",
    "collapse": """\
#pragma omp for collapse(2) schedule(dynamic) //@ for+
for (int i = 0; i < n; i++) { //@ for~
    for (int j = 0; j < n; j++) { //@ for~
        add(i + j);
    }
} //@ end
""",
    "lastprivate": """\
#pragma omp for schedule(dynamic) lastprivate(reduced) //@ for+
for (int i = 0; i < n; i++) { //@ for~
    add(i);
    reduced = i;
} //@ end
""",
    "ordered": """\
#pragma omp for ordered schedule(dynamic) //@ for+
for (int i = 0; i < n; i++) { //@ for~
    add(i);
#pragma omp ordered //@ ordered
    {
        add(2);
    }
} //@ end
""",
    "sections": """\
#pragma omp sections //@ sections+
{
#pragma omp section
    add(1);
#pragma omp section
    {
        add(2);
    }
} //@ end
""",
    "single": """\
#pragma omp single //@ single+
{
    add(1);
} //@ end
""",
    "single_nowait": """\
#pragma omp single nowait //@ single
{
    add(n);
}
#pragma omp barrier //@ barrier
""",
    "copyprivate": """\
int given;
#pragma omp single copyprivate(given) //@ single+
{
    given = n;
} //@ end
add(given);
""",
    "masked": """\
#pragma omp masked //@ masked
{
    add(1);
}
#pragma omp barrier //@ barrier
""",
    "critical": """\
#pragma omp critical //@ critical
add(n);
""",
    "critical_named": """\
add(n);
#pragma omp critical(@) //@ critical
{
    add(1);
    add(2);
}
add(3);
""",
    "atomic": """\
#pragma omp atomic //@ atomic?
shared_value += n;
add(1);
""",
    "barrier": """\
add(n);
#pragma omp barrier //@ barrier
""",
    "barriers": """\
#pragma omp barrier //@ barrier
add(1);
#pragma omp barrier //@ barrier
if (n > 1) {
#pragma omp barrier //@ barrier
    add(n);
}
""",
    "task": """\
#pragma omp task //@ task
add(1);
""",
    "task_data": """\
int own = n + 1;
#pragma omp task firstprivate(own) //@ task
{
    add(own);
}
""",
    "task_block": """\
add(n);
#pragma omp task //@ task
{
    add(1);
    add(2);
}
add(3);
""",
    "task_untied": """\
#pragma omp task untied //@ task
{
    add(1);
    add(n);
}
""",
    "task_serial": """\
#pragma omp task if (0) //@ task
{
    add(n);
}
add(1);
""",
    "task_final": """\
#pragma omp task final(n > 2) mergeable //@ task
{
    add(1);
#pragma omp task //@ task
    add(2);
}
add(1);
""",
    "task_loop": """\
for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i) //@ task
    add(i);
}
""",
    "task_branch": """\
if (n > 1) {
#pragma omp task //@ task
    add(1);
} else {
#pragma omp task
    add(2);
}
""",
    "task_split": """\
#pragma omp task \\ //@ task
    firstprivate(n)
{
    add(n);
}
""",
    "tasks": """\
#pragma omp task //@ task
add(1);
#pragma omp task //@ task
add(2);
#pragma omp task //@ task
add(3);
""",
    "tasks_nested": """\
#pragma omp task //@ task
{
    add(1);
#pragma omp task //@ task
    {
        add(2);
#pragma omp taskwait //@ taskwait
    }
#pragma omp taskwait //@ taskwait
}
""",
    "depend": """\
#pragma omp task depend(out : shared_value) //@ task
add(1);
#pragma omp task depend(in : shared_value) //@ task
add(n);
#pragma omp taskwait //@ taskwait
""",
    "taskwait": """\
#pragma omp task //@ task
add(1);
#pragma omp taskwait //@ taskwait
""",
    "taskgroup": """\
#pragma omp taskgroup //@ taskgroup
{
#pragma omp task //@ task
    add(1);
} //@ taskgroup~
""",
    "taskloop": """\
#pragma omp taskloop num_tasks(2) //@ taskloop task taskgroup
for (int i = 0; i < n; i++) {
    add(i);
} //@ taskgroup~
""",
    "taskloop_nogroup": """\
#pragma omp taskloop nogroup grainsize(1) //@ taskloop task
for (int i = 0; i < n; i++) {
    add(i);
}
""",
    "reduction": """\
#pragma omp for schedule(dynamic) reduction(+ : reduced) //@ for+ reduction? critical?
for (int i = 0; i < n; i++) { //@ for~
    reduced += i;
    add(i);
} //@ end
""",
    "task_reduction": """\
int sum = 0;
#pragma omp taskgroup task_reduction(+ : sum) //@ taskgroup
{
#pragma omp task in_reduction(+ : sum) //@ task
    {
        sum += n;
        add(1);
    }
} //@ taskgroup~
add(sum);
""",
    "lock": """\
omp_lock_t lock;
omp_init_lock(&lock); //@ omp_init_lock
omp_set_lock(&lock); //@ omp_set_lock
omp_unset_lock(&lock); //@ omp_unset_lock
if (omp_test_lock(&lock)) { //@ omp_test_lock
    add(n);
    omp_unset_lock(&lock); //@ omp_unset_lock
}
omp_destroy_lock(&lock); //@ omp_destroy_lock
""",
    "nest_lock": """\
omp_nest_lock_t lock;
add(1);
omp_init_nest_lock(&lock); //@ omp_init_nest_lock
omp_set_nest_lock(&lock); //@ omp_set_nest_lock
if (omp_test_nest_lock(&lock)) { //@ omp_test_nest_lock
    omp_unset_nest_lock(&lock); //@ omp_unset_nest_lock
}
omp_unset_nest_lock(&lock); //@ omp_unset_nest_lock
omp_destroy_nest_lock(&lock); //@ omp_destroy_nest_lock
""",
    "flush": """\
add(n);
#pragma omp flush //@ flush
add(1);
""",
    "cancel_for": """\
#pragma omp for schedule(static) //@ for+
for (int i = 0; i < n; i++) { //@ for~
    add(i);
#pragma omp cancel for //@ cancel_for
} //@ end
""",
    "cancel_taskgroup": """\
#pragma omp taskgroup //@ taskgroup
{
#pragma omp task //@ task
    {
#pragma omp cancel taskgroup //@ cancel_taskgroup
        add(1);
    }
} //@ taskgroup~
""",
    "nested": """\
#pragma omp parallel num_threads(2) //@ parallel+
{
    add(n);
#pragma omp critical //@ critical
    add(1);
#pragma omp task //@ task
    add(2);
} //@ end
""",
    "single_tasks": """\
#pragma omp single //@ single+
{
    for (int i = 0; i < n; i++) {
#pragma omp task //@ task
        {
            add(1);
        }
    }
#pragma omp taskwait //@ taskwait
} //@ end
""",
}

C_SERIAL = {
    "parallel_for": """\
#pragma omp parallel for num_threads(2) //@ parallel+ for
for (int i = 0; i < n; i++) //@ for~
    add(i);
//@ end
""",
    "parallel_dynamic": """\
#pragma omp parallel for num_threads(2) schedule(dynamic) //@ parallel+ for
for (int i = 0; i < n; i++) { //@ for~
    add(i);
} //@ end
""",
    "parallel_guided": """\
add(1);
#pragma omp parallel for num_threads(2) schedule(guided) reduction(+ : reduced) //@ parallel+ for reduction? critical?
for (int i = 0; i < n; i++) { //@ for~
    reduced += i;
    add(i);
} //@ end
add(2);
""",
    "parallel_runtime": """\
#pragma omp parallel for num_threads(2) schedule(runtime) //@ parallel+ for
for (int i = 0; i < n; i++) { //@ for~
    add(i);
} //@ end
""",
    "parallel_sections": """\
#pragma omp parallel sections num_threads(2) //@ parallel+ sections
{
#pragma omp section
    add(1);
#pragma omp section
    add(n);
} //@ end
""",
    "parallel_bare": """\
#pragma omp parallel num_threads(2) //@ parallel+
add(1);
//@ end
""",
    "parallel_one": """\
#pragma omp parallel num_threads(1) //@ parallel+
{
    add(n);
} //@ end
add(1);
""",
    "parallel_if": """\
#pragma omp parallel if (n < 0) //@ parallel+
{
    add(n);
} //@ end
add(2);
""",
    "parallel_loop": """\
for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(2) //@ parallel+
    add(1);
#pragma omp parallel num_threads(2) //@ parallel+
    add(2);
}
//@ end
""",
    "parallel_nested": """\
#pragma omp parallel num_threads(2) //@ parallel+
{
#pragma omp parallel num_threads(2) //@ parallel+
    {
        add(n);
    }
} //@ end
""",
    "parallel_for_nested": """\
#pragma omp parallel num_threads(2) //@ parallel+
{
#pragma omp parallel for num_threads(2) schedule(dynamic) //@ parallel+ for
    for (int i = 0; i < n; i++) //@ for~
        add(i);
} //@ end
""",
    "region_tasks": """\
#pragma omp parallel num_threads(2) //@ parallel+
#pragma omp single //@ single+
{
    for (int i = 0; i < n; i++)
#pragma omp task //@ task
        add(i);
} //@ end
""",
    "region_last_task": """\
#pragma omp parallel num_threads(2) //@ parallel+
{
    add(1);
#pragma omp task //@ task
    add(2);
} //@ end
""",
    "region_last_taskwait": """\
#pragma omp parallel num_threads(2) //@ parallel+
{
#pragma omp task //@ task
    add(n);
    add(1);
#pragma omp taskwait //@ taskwait
} //@ end
""",
    "cancel_parallel": """\
#pragma omp parallel num_threads(2) //@ parallel+
{
    add(n);
#pragma omp cancel parallel //@ cancel_parallel+
    add(1);
} //@ end
""",
    "teams": """\
#pragma omp teams num_teams(1) thread_limit(2) //@ teams parallel?
{
    add(n);
} //@ end
""",
}

FORTRAN_INSIDE = {
    "static": """\
!$omp do schedule(static) !@ do+
do i = 1, n !@ do~
  call add(i)
end do
!$omp end do !@ end
""",
    "dynamic": """\
!$omp do schedule(dynamic) !@ do+
do i = 1, n !@ do~
  call add(i)
end do
!$omp end do !@ end
""",
    "guided": """\
call add(1)
!$omp do schedule(guided, 2) !@ do+
do i = 1, n !@ do~
  call add(i)
end do !@ end
""",
    "auto": """\
!$omp do schedule(auto) !@ do+
do i = 1, n !@ do~
  call add(i)
end do
!$omp end do !@ end
""",
    "runtime": """\
!$omp do schedule(runtime) !@ do+
do i = 1, n !@ do~
  call add(i)
end do
!$omp end do !@ end
""",
    "nowait": """\
!$omp do schedule(dynamic) !@ do
do i = 1, n !@ do~
  call add(i)
end do
!$omp end do nowait
!$omp barrier !@ barrier
""",
    "ordered": """\
!$omp do ordered schedule(dynamic) !@ do+
do i = 1, n !@ do~
  !$omp ordered !@ ordered
  call add(i)
  !$omp end ordered
end do
!$omp end do !@ end
""",
    "sections": """\
!$omp sections !@ sections+
!$omp section
call add(1)
!$omp section
call add(2)
!$omp end sections !@ end
""",
    "single": """\
!$omp single !@ single+
call add(1)
!$omp end single !@ end
""",
    "single_nowait": """\
!$omp single !@ single
call add(n)
!$omp end single nowait
!$omp barrier !@ barrier
""",
    "master": """\
!$omp master !@ masked
call add(1)
!$omp end master
!$omp barrier !@ barrier
""",
    "critical": """\
!$omp critical !@ critical
call add(n)
!$omp end critical
""",
    "critical_named": """\
call add(n)
!$omp critical (own) !@ critical
call add(1)
!$omp end critical (own)
call add(2)
""",
    "atomic": """\
!$omp atomic !@ atomic?
shared_value = shared_value + n
""",
    "barrier": """\
call add(n)
!$omp barrier !@ barrier
""",
    "task": """\
!$omp task !@ task
call add(1)
!$omp end task
""",
    "task_data": """\
!$omp task firstprivate(n) !@ task
call add(n)
!$omp end task
call add(1)
""",
    "task_serial": """\
!$omp task if (.false.) !@ task
call add(1)
!$omp end task
call add(1)
""",
    "tasks": """\
!$omp task !@ task
call add(1)
!$omp end task
!$omp task !@ task
call add(2)
!$omp end task
!$omp task !@ task
call add(3)
!$omp end task
""",
    "depend": """\
!$omp task depend(out: shared_value) !@ task
call add(1)
!$omp end task
!$omp task depend(in: shared_value) !@ task
call add(2)
!$omp end task
!$omp taskwait !@ taskwait
""",
    "taskwait": """\
!$omp task !@ task
call add(1)
!$omp end task
!$omp taskwait !@ taskwait
""",
    "taskgroup": """\
!$omp taskgroup !@ taskgroup
!$omp task !@ task
call add(1)
!$omp end task
!$omp end taskgroup !@ taskgroup~
""",
    "lock": """\
call omp_init_lock(lock) !@ omp_init_lock
call omp_set_lock(lock) !@ omp_set_lock
call add(n)
call omp_unset_lock(lock) !@ omp_unset_lock
call omp_destroy_lock(lock) !@ omp_destroy_lock
""",
    "flush": """\
call add(n)
!$omp flush !@ flush
call add(1)
""",
    "nested": """\
!$omp parallel num_threads(2) !@ parallel+
call add(1)
!$omp critical !@ critical
call add(1)
!$omp end critical
!$omp end parallel !@ end
""",
}

# Not by flang 19.
FORTRAN_GNU_INSIDE = {
    "task_untied": """\
!$omp task untied !@ task
call add(1)
call add(2)
!$omp end task
""",
    "taskloop": """\
!$omp taskloop num_tasks(2) !@ taskloop task taskgroup
do i = 1, n
  call add(1)
end do
!$omp end taskloop !@ taskgroup~
""",
    "workshare": """\
!$omp workshare !@ single?+
field = field + 1
!$omp end workshare !@ end
""",
    "cancel_do": """\
!$omp do schedule(static) !@ do+
do i = 1, n !@ do~
  call add(i)
  !$omp cancel do !@ cancel_do
end do
!$omp end do !@ end
""",
}

FORTRAN_SERIAL = {
    "parallel_do": """\
!$omp parallel do num_threads(2) !@ parallel+ do
do i = 1, n !@ do~
  call add(i)
end do
!$omp end parallel do !@ end
""",
    "parallel_dynamic": """\
!$omp parallel do num_threads(2) schedule(dynamic) !@ parallel+ do
do i = 1, n !@ do~
  call add(i)
end do
!$omp end parallel do !@ end
""",
    "parallel_sections": """\
!$omp parallel sections num_threads(2) !@ parallel+ sections
!$omp section
call add(1)
!$omp section
call add(2)
!$omp end parallel sections !@ end
""",
    "parallel_bare": """\
!$omp parallel num_threads(2) !@ parallel+
call add(1)
!$omp end parallel !@ end
""",
    "parallel_loop": """\
do i = 1, n
  !$omp parallel num_threads(2) !@ parallel+
  call add(1)
  !$omp end parallel !@ end
end do
""",
    "region_tasks": """\
!$omp parallel num_threads(2) private(i) !@ parallel+
!$omp single !@ single+
do i = 1, n
  !$omp task firstprivate(i) !@ task
  call add(i)
  !$omp end task
end do
!$omp end single !@ end
!$omp end parallel !@ end
""",
    "region_last_task": """\
!$omp parallel num_threads(2) !@ parallel+
call add(1)
!$omp task !@ task
call add(2)
!$omp end task
!$omp end parallel !@ end
""",
    "region_last_taskwait": """\
!$omp parallel num_threads(2) !@ parallel+
!$omp task !@ task
call add(1)
!$omp end task
call add(2)
!$omp taskwait !@ taskwait
!$omp end parallel !@ end
""",
}
