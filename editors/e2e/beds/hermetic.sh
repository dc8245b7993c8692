#!/bin/sh
# hermetic.sh COMMAND [ARG...]: runs COMMAND with loopback as its only network and in a process namespace of its own, so
# that third-party programs reach nobody and everything they left running dies with it.
# Where the machine does not permit that, it says so and runs COMMAND as it is.
namespaces='--net --pid --fork --kill-child --mount-proc'
[ "$(id -u)" = 0 ] || namespaces="--map-root-user $namespaces"

# shellcheck disable=SC2086 # a list of flags
if unshare $namespaces ip link set lo up 2>/dev/null; then
  # sh stays as the first process of the namespace, because somebody has to wait for orphans.
  PILLION_HERMETIC=1 exec unshare $namespaces sh -c 'ip link set lo up && "$@"; exit $?' sh "$@"
fi
echo "############################################################################" >&2
echo "### NOT HERMETIC: unshare is not permitted here. Third-party programs    ###" >&2
echo "### can reach the network, and what they leave running is not looked for. ##" >&2
echo "############################################################################" >&2
exec "$@"
