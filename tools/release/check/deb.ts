import { mkdirSync, copyFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runProgram } from '../program.ts';
import { insist, type Check, type Checked } from './check.ts';

const BOOT_WITHIN_MS = 240_000;
const ASK_EVERY_MS = 2_000;
const MACHINE = 'hes-release-check';
/** A bare system: what the package needs beyond these, it must declare. */
const BARE = 'systemd,systemd-sysv,dbus,libstdc++6,libatomic1';

/** Runs in the booted system, before it is switched off. Stopped, the head-end tells the watchdog nothing: systemd must start it again. */
const SCRIPT = `set -eux
systemctl is-active hes.service
test "$(systemctl show -p Type --value hes.service)" = notify
test "$(systemctl show -p StatusText --value hes.service)" = Ready
pid=$(systemctl show -p MainPID --value hes.service)
test "$(stat -c %U /proc/$pid)" = hes
grep -q 'NoNewPrivs:.1' /proc/$pid/status
grep -q 'CapEff:.0000000000000000' /proc/$pid/status
grep -q 'Seccomp:.2' /proc/$pid/status
if nsenter -t $pid -m touch /usr/lib/hes/x; then exit 1; fi
test ! -e /var/lib/hes/master.key
test "$(stat -c %a /var/lib/hes)" = 700
restarts=$(systemctl show -p NRestarts --value hes.service)
test "$restarts" = 0
kill -STOP $pid
sleep 100
test "$(systemctl show -p NRestarts --value hes.service)" -ge 1
`;

async function makeRoot({ artefact, scratch }: Checked): Promise<string> {
  const root = path.join(scratch, 'root');
  const deb = artefact(`_${process.arch === 'x64' ? 'amd64' : 'arm64'}.deb`);
  await runProgram('mmdebstrap', ['--quiet', '--variant=essential', `--include=${BARE}`, 'bookworm', root]);
  copyFileSync(deb, path.join(root, 'hes.deb'));
  const credentials = path.join(root, 'etc/hes/credentials');
  mkdirSync(credentials, { recursive: true });
  writeFileSync(path.join(credentials, 'HES_MASTER_KEY'), `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  await runProgram('chroot', [root, 'dpkg', '--install', '/hes.deb']);
  return root;
}

/** The check is a unit of the system itself, because a booted container cannot be entered everywhere. */
function addScript(root: string): void {
  writeFileSync(path.join(root, 'check.sh'), SCRIPT);
  const unit = `[Unit]
After=hes.service
Wants=hes.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'if /bin/sh /check.sh >/check.log 2>&1; then echo passed >/check.result; else echo failed >/check.result; fi; journalctl -u hes >/check.journal; systemctl poweroff'
[Install]
WantedBy=multi-user.target
`;
  writeFileSync(path.join(root, 'etc/systemd/system/check.service'), unit);
}

const boots: Check = {
  name: 'Debian package: installed in a bare system, runs under the restrictions of its unit, and its watchdog restarts it',
  needs: ['mmdebstrap', 'systemd-nspawn', 'chroot'],
  async run(checked) {
    const root = await makeRoot(checked);
    addScript(root);
    await runProgram('chroot', [root, 'systemctl', 'enable', 'check.service']);
    const ended = runProgram('systemd-nspawn', [
      '--quiet',
      '--boot',
      `--machine=${MACHINE}`,
      '--register=no',
      '--keep-unit',
      `--directory=${root}`,
    ]);
    const late = wait(BOOT_WITHIN_MS, 'late' as const, { ref: false });
    const how = await Promise.race([
      ended.then(
        () => 'ended' as const,
        (error: unknown) => String(error),
      ),
      late,
    ]);
    const read = async (name: string) => runProgram('cat', [path.join(root, name)]).catch(() => `no ${name}`);
    const result = (await read('check.result')).trim();
    insist(
      result === 'passed',
      `${result}; ${how}\n${(await read('check.log')).slice(-1500)}\n${(await read('check.journal')).slice(-1500)}`,
    );
    await wait(ASK_EVERY_MS);
  },
};

export const debChecks: readonly Check[] = [boots];
