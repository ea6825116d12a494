import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type Server} from 'node:net';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {createCommandSession} from '../../src/agent/tools/command/command-session.ts';
import {createLocalProvider} from '../../src/server/sandboxes/local-provider.ts';

/** What runs attacks: the way that a program takes into a sandbox. */
export type Side = 'command' | 'task';

/** The targets of attacks outside of a sandbox. Attacks get the members as variables of the shell. */
export type Outside = {
	/** A folder of this user beside that of the sandbox, a file in it, and a secret. */
	readonly FOLDER: string;
	readonly FILE: string;
	readonly SECRET: string;
	/** A process. */
	readonly VICTIM: string;
	/** What listens: a port, the name of an abstract socket, and sockets with a path, one in a folder of tools. */
	readonly PORT: string;
	readonly ABSTRACT: string;
	readonly SOCKET: string;
	readonly OTHER_SOCKET: string;
	readonly TOOL_SOCKET: string;
};

/** What attacks printed, by their names, and what they did outside. */
export type Outcome = {
	readonly outputs: Readonly<Record<string, string>>;
	/** The first line of the log of a task. */
	readonly notice: string;
	readonly outside: {
		readonly isVictimAlive: boolean;
		readonly file: string;
		/** Where something connected. */
		readonly connections: readonly string[];
	};
};

const perAttack = '=== attack ';

/** Ends an attack at once where nothing contains it, because some would do harm there. */
const notContained = 'kill -0 "$VICTIM" 2>/dev/null && echo "BREACH: not contained" && exit';

/** Runs attacks, which are scripts of a shell, one after another in one sandbox of this user. */
export async function runAttacks(
	side: Side,
	attacks: Readonly<Record<string, string>>,
	supervisor: URL,
): Promise<Outcome> {
	const root = realpathSync(mkdtempSync(join(tmpdir(), 'service-attacks-')));
	const aim = await openOutside(root);
	try {
		const variables = Object.entries(aim.outside).map(([name, value]) => `export ${name}='${value}'`);
		const files = Object.entries(attacks).map(([name, script], index): [string, string] => [
			`attack-${index}.sh`,
			[`echo '${perAttack}${name}'`, ...variables, notContained, script, 'echo tried'].join('\n'),
		]);
		const line = files.map(([name]) => `sh ./${name} 2>&1`).join('; ');
		const text = await (side === 'command' ? asCommand(root, files, line) : asTask(root, files, line, supervisor));
		const [notice = '', ...parts] = text.split(perAttack);
		return {
			outputs: Object.fromEntries(
				parts.map(part => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]),
			),
			notice,
			outside: aim.look(),
		};
	} finally {
		aim.close();
		rmSync(root, {recursive: true, force: true});
	}
}

async function asCommand(root: string, files: ReadonlyArray<[string, string]>, line: string): Promise<string> {
	const workspace = join(root, 'project');
	writeFiles(workspace, files);
	mkdirSync(join(root, '.service'), {mode: 0o700});
	const session = createCommandSession({places: {stateFolder: join(root, '.service'), homeFolder: join(root, 'home')}});
	const found = await session.sandbox(workspace);
	if (found.kind === 'none') {
		throw new Error(`Nothing contains commands: ${found.why}`);
	}

	let text = '';
	const {ended} = await session.start({
		command: line,
		workspace,
		containment: 'sandbox',
		readOnly: false,
		secrets: [],
		onText: more => {
			text += more;
		},
	});
	await ended;
	await session.end();
	return text;
}

async function asTask(
	root: string,
	files: ReadonlyArray<[string, string]>,
	line: string,
	supervisor: URL,
): Promise<string> {
	const provider = createLocalProvider({
		root: join(root, 'sandboxes'),
		hidden: [join(root, 'home')],
		environment: {PATH: process.env['PATH']},
		supervisor,
	});
	const id = randomUUID();
	await provider.start({
		id,
		organization: randomUUID(),
		files: new Map(files),
		build: [],
		command: {name: 'command', command: ['sh', '-c', line]},
		environment: {},
		deadline: {after: 120_000, action: 'end'},
	});
	while (!['ended', 'gone'].includes((await provider.inspect(id)).kind)) {
		await sleep(25);
	}

	const text = (await provider.readLog(id, {}))?.text ?? '';
	await provider.remove(id);
	return text;
}

/** Creates the targets of the attacks. */
export async function openOutside(root: string) {
	const [folder, secret] = [join(root, 'outside'), join(root, 'home/.ssh/id_ed25519')];
	const file = join(folder, 'file');
	writeFiles(root, [
		['home/.ssh/id_ed25519', 'a home secret'],
		['home/.cargo/bin/tool', ''],
		['outside/file', 'as it was'],
	]);
	const victim = spawn('sleep', ['600'], {stdio: 'ignore'});
	const connections: string[] = [];
	const servers: Server[] = [];
	const listen = async (
		name: string,
		where: {readonly path: string} | {readonly host: string; readonly port: number},
	) => {
		const server = createServer(socket => {
			connections.push(name);
			socket.destroy();
		});
		servers.push(server);
		await new Promise<void>(resolve => {
			server.listen(where, resolve);
		});
		const address = server.address();
		return typeof address === 'object' && address ? address.port : 0;
	};
	const name = `service-attack-${process.pid}-${randomUUID()}`;
	const [socket, otherSocket] = [join(root, 'socket'), join('/var/tmp', `${name}.sock`)];
	const toolSocket = join(root, 'home/.cargo/bin/s');
	const port = await listen('port', {host: '127.0.0.1', port: 0});
	await listen('abstract', {path: `\0${name}`});
	await listen('socket', {path: socket});
	await listen('other socket', {path: otherSocket});
	await listen('socket of a tool', {path: toolSocket});
	const outside: Outside = {
		FOLDER: folder,
		FILE: file,
		SECRET: secret,
		VICTIM: `${victim.pid}`,
		PORT: `${port}`,
		ABSTRACT: name,
		SOCKET: socket,
		OTHER_SOCKET: otherSocket,
		TOOL_SOCKET: toolSocket,
	};
	return {
		outside,
		look: () => ({
			isVictimAlive: victim.exitCode === null && victim.signalCode === null,
			file: readFileSync(file, 'utf8'),
			connections: [...connections],
		}),
		close() {
			victim.kill('SIGKILL');
			for (const server of servers) {
				server.close();
			}
		},
	};
}

function writeFiles(folder: string, files: ReadonlyArray<[string, string]>): void {
	for (const [path, content] of files) {
		mkdirSync(dirname(join(folder, path)), {recursive: true});
		writeFileSync(join(folder, path), content);
	}
}
