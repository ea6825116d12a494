import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {
	appendFileSync,
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {nginx} from '../server/nginx.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {program} from './program.ts';

const binaries = existsSync('/usr/lib/postgresql')
	? readdirSync('/usr/lib/postgresql')
			.toSorted((a, b) => Number(b) - Number(a))
			.map(version => `/usr/lib/postgresql/${version}/bin`)
			.find(folder => existsSync(join(folder, 'initdb')))
	: undefined;

/** Why this machine can't hold one for an operator; undefined if it can. */
export const whyNoMachine =
	process.getuid?.() === 0
		? (
				[
					['PostgreSQL (Debian: postgresql)', binaries],
					['nginx (Debian: nginx-light)', existsSync('/etc/nginx/mime.types') && nginx],
					...['bwrap', 'curl', 'openssl', 'runuser', 'setpriv', 'useradd'].map(name => [name, find(name)] as const),
				] as const
			)
				.flatMap(([name, isThere]) => (isThere ? [] : `${name} is missing`))
				.at(0)
		: 'the machine of an operator needs root';

function find(name: string): string | undefined {
	return ['/usr/bin', '/usr/sbin', '/bin', '/sbin'].map(folder => join(folder, name)).find(existsSync);
}

/**
 * Plays systemd for the printed unit: its variables, its credentials and its user. What else it would set, `systemd-analyze verify`
 * reads elsewhere.
 */
const systemctl = String.raw`#!/bin/bash
set -eu
unit=/etc/systemd/system/service-server.service
start() {
	install -d -o service -g service -m 700 /var/lib/service /run/credentials
	variables=()
	while IFS= read -r line; do
		case $line in
			LoadCredential=*)
				credential=\${line#*=}
				install -o service -m 400 "\${credential#*:}" "/run/credentials/\${credential%%:*}" ;;
			Environment=*) variables+=("$(sed 's,%d,/run/credentials,' <<< "\${line#*=}")") ;;
			ExecStart=*) command=\${line#*=} ;;
		esac
	done < $unit
	setpriv --reuid=service --regid=service --clear-groups --no-new-privs env -i -C /var/lib/service USER=service \
		HOME=/var/lib/service PATH=/usr/bin:/bin "\${variables[@]}" $command >> /var/log/service.out 2>> /var/log/service.log &
	echo $! > /run/service.pid
}
stop() {
	pid=$(cat /run/service.pid)
	kill -TERM "$pid"
	while kill -0 "$pid" 2> /dev/null; do sleep 0.05; done
}
case "$*" in
	daemon-reload) ;;
	'enable --now service-server' | 'start service-server') start ;;
	'stop service-server') stop ;;
	'restart service-server') stop && start ;;
	'reload nginx') nginx -s reload ;;
	*) echo "What is systemctl $*?" >&2; exit 1 ;;
esac
`.replaceAll('\\$', '$');

/** What runs on the machine before the operator comes: PostgreSQL as Debian configures it, and nginx without a site. */
const boot = `
ip link set lo up
install -d -m 1777 /tmp/. && install -d -o postgres /run/postgresql /var/lib/postgresql/data
as_postgres() { runuser -u postgres -- "$@"; }
as_postgres ${binaries}/initdb -D /var/lib/postgresql/data --no-sync -E UTF8 --auth-local=peer --auth-host=scram-sha-256 > /var/log/initdb
as_postgres ${binaries}/postgres -D /var/lib/postgresql/data -k /run/postgresql -c fsync=off >> /var/log/postgresql.log 2>&1 &
until as_postgres psql --quiet --command 'select 1' > /dev/null 2>&1; do sleep 0.1; done
nginx
`;

/**
 * A machine with a root, PostgreSQL, nginx and the built program as `service`, in namespaces of its own, until the test ends:
 * every path and every port is the one that is printed. `agents.example.com` is its own name, with a certificate.
 */
export async function openMachine() {
	const folder = temporaryFolder();
	const at = (...names: string[]) => join(folder, ...names);
	cpSync('/etc', at('etc'), {recursive: true, verbatimSymlinks: true, filter: path => !path.includes('/ssl/private')});
	appendFileSync(at('etc', 'hosts'), '\n127.0.0.1 agents.example.com\n');
	for (const path of [
		'etc/ssl/agents.example.com',
		'etc/systemd/system',
		'etc/nginx/conf.d',
		'opt/bin',
		'opt/service',
		'root',
	]) {
		mkdirSync(at(path), {recursive: true});
	}

	for (const path of ['log/nginx', 'lib/nginx', 'lib/postgresql', 'tmp', 'cache', 'mail']) {
		mkdirSync(at('var', path), {recursive: true});
	}

	symlinkSync('/run', at('var/run'));
	symlinkSync('/run/lock', at('var/lock'));
	const certificate = at('etc/ssl/agents.example.com');
	execFileSync(
		'openssl',
		[
			...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
			...['-subj', '/CN=agents.example.com', '-addext', 'subjectAltName=DNS:agents.example.com'],
			...['-keyout', join(certificate, 'privkey.pem'), '-out', join(certificate, 'fullchain.pem')],
		],
		{stdio: 'ignore'},
	);
	const scripts = {
		service: '#!/bin/sh\nexec /opt/node /opt/service/dist/service.js "$@"\n',
		systemctl,
	};
	for (const [name, text] of Object.entries(scripts)) {
		writeFileSync(at('opt/bin', name), text);
		chmodSync(at('opt/bin', name), 0o755);
	}

	writeFileSync(at('opt/node'), '');
	const root = join(program, '../..');
	const machine = spawn(
		'bwrap',
		[
			...['--unshare-net', '--unshare-pid', '--unshare-ipc', '--die-with-parent', '--cap-add', 'ALL'],
			...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/run', '--tmpfs', '/tmp'],
			...['etc', 'var', 'opt', 'root'].flatMap(name => ['--bind', at(name), `/${name}`]),
			...['--ro-bind', root, '/opt/service', '--ro-bind', process.execPath, '/opt/node'],
			...['--chdir', '/root', '--clearenv', '--setenv', 'HOME', '/root', '--setenv', 'USER', 'root'],
			...['--setenv', 'PATH', '/opt/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
			...['--setenv', 'LC_ALL', 'C.UTF-8', '--setenv', 'TERM', 'dumb'],
			...['--setenv', 'NODE_EXTRA_CA_CERTS', '/etc/ssl/agents.example.com/fullchain.pem'],
			...['--setenv', 'CURL_CA_BUNDLE', '/etc/ssl/agents.example.com/fullchain.pem'],
			...['bash', '-c', 'exec bash --noprofile --norc 2>&1'],
		],
		{stdio: ['pipe', 'pipe', 'inherit']},
	);
	const ended = once(machine, 'exit');
	onTestFinished(async () => {
		machine.kill('SIGKILL');
		await ended;
	});
	machine.stdout.setEncoding('utf8');
	const output = machine.stdout[Symbol.asyncIterator]() as AsyncIterator<string>;
	let text = '';
	let lines = 0;

	/** Types a line with this input, and returns what it printed. Throws with that if it fails. */
	async function type(line: string, input = ''): Promise<string> {
		const end = `@ended ${++lines} `;
		machine.stdin.write(`{ ${line}\n} <<'@input'\n${input}\n@input\nprintf '\\n${end}%s\\n' $?\n`);
		let found: RegExpExecArray | null = null;
		while (!found) {
			const {value, done} = await output.next();
			text += done ? '' : value;
			found = new RegExp(`\\n${end}(\\d+)\\n`).exec(text);
			if (!found && done) {
				throw new Error(`The machine ended after: ${line}\n${text}`);
			}
		}

		const printed = text.slice(0, found.index).trimEnd();
		text = text.slice(found.index + found[0].length);
		if (found[1] !== '0') {
			throw new Error(`Exit status ${found[1]} of: ${line}\n${printed}`);
		}

		return printed;
	}

	for (const line of boot.trim().split('\n')) {
		await type(line);
	}

	return {
		type,
		/** Types lines one after the other, and returns what they printed. */
		async typeAll(lines: readonly string[]): Promise<string> {
			let printed = '';
			for (const line of lines) {
				printed += `${await type(line)}\n`;
			}

			return printed;
		},
		/** Writes a file into the home of root. */
		write: (name: string, content: string) => writeFileSync(at('root', name), content),
	};
}
