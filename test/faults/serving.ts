import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';
import {createSealKey} from '../../src/server/accounts/seal.ts';
import {grantCredits} from '../../src/server/credits/account.ts';
import type {DatabaseLocation} from '../../src/server/database/location.ts';
import {openDatabase} from '../../src/server/database/open.ts';
import {environmentOf, folderWith, program} from '../e2e/program.ts';
import {atEnd} from '../net/servers.ts';
import {addTask} from '../server/sandboxes/task-folder.ts';
import {needs} from './fault.ts';

/** How long a poll of a log that is being followed rests. */
const restMs = 30;

/** The most polls until something must have come: minutes on any machine. */
const maxPolls = 20_000;

const gift = 100_000;

/** Numbered lines, cut anywhere, behind one that only a process that starts writes. */
const writer = `
import {setTimeout as sleep} from 'node:timers/promises';
console.log('start', process.pid);
for (let index = 0; ; index += 1) {
	const line = Buffer.from(index + ' grüße 😀\\n');
	const cut = Math.floor(Math.random() * line.length);
	process.stdout.write(line.subarray(0, cut));
	await sleep(1);
	process.stdout.write(line.subarray(cut));
	await sleep(4);
}
`;

const sealKey = createSealKey().toString('base64url');

/** What is added to a start, to look into the program: flags of Node, and variables. */
type Probed = {readonly flags: readonly string[]; readonly env: Readonly<Record<string, string>>};

function run(words: readonly string[], {flags, env}: Probed = {flags: [], env: {}}) {
	const child = spawn(process.execPath, [...flags, program, 'serve', ...words, '--json'], {
		stdio: ['ignore', 'pipe', 'pipe'],
		env: environmentOf({env: {SERVICE_SEAL_KEY: sealKey, ...env}}),
	});
	atEnd(() => void child.kill('SIGTERM'));
	return child;
}

/** A server of the built program that is killed and started again. */
export type Serving = {
	readonly url: () => string;
	readonly start: () => Promise<void>;
	readonly kill: () => Promise<void>;
};

/** Returns a server that isn't started yet. `database` is the URL that it gets; its data folder has a SQLite one without. */
export function createServing(data: string, database?: string, probed?: Probed): Serving {
	let url = '';
	let child: ReturnType<typeof run> | undefined;
	let said = '';
	const place = ['--data', data, ...(database === undefined ? [] : ['--database', database])];
	return {
		url: () => url,
		async start() {
			child = run([...place, '--port', '0', '--unsafe-sandboxes'], probed);
			child.stderr.setEncoding('utf8').on('data', (piece: string) => {
				said = (said + piece).slice(-1000);
			});
			for await (const line of createInterface({input: child.stdout})) {
				url = JSON.parse(line).url;
				return;
			}

			throw new Error(`The server ended before it listened: ${said}`);
		},
		async kill() {
			child?.kill('SIGKILL');
			if (child && child.exitCode === null && child.signalCode === null) {
				await once(child, 'exit');
			}
		},
	};
}

/** Adds the task whose log has numbered lines to the data folder of a server that was started. */
export const addWriter = (folder: string) => addTask({folder}, 'writer', {}, {'main.mjs': writer});

/** Creates an organization with credits. Returns the key of its owner. */
export async function initializeServing(data: string, location: DatabaseLocation): Promise<string> {
	const place = ['--data', data, ...(location.engine === 'postgres' ? ['--database', location.url] : [])];
	const names = ['--org', 'acme', '--workspace', 'main', '--project', 'web'];
	const {api_key: key} = JSON.parse(await text(run(['init', ...place, ...names]).stdout));
	const database = await openDatabase(location);
	try {
		const {id: organizationId} = await database.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
		await database.transaction().execute(async transaction => {
			await grantCredits(transaction, {organizationId, amount: gift, reason: 'gift', now: new Date()});
		});
	} finally {
		await database.destroy();
	}

	return key;
}

/** Returns what is wrong with what was billed: each sandbox once, and the balance by it. */
export async function billedWrongly(location: DatabaseLocation): Promise<readonly string[]> {
	const database = await openDatabase(location);
	try {
		const sandboxes = await database.selectFrom('sandboxes').select(['billed_credits', 'past_seconds']).execute();
		const entries = await database.selectFrom('credit_entries').select(['amount', 'reason']).execute();
		const {balance} = await database.selectFrom('credit_accounts').select('balance').executeTakeFirstOrThrow();
		const members = await database.selectFrom('member_credits').select('month_used').execute();
		const billed = sandboxes.reduce((sum, {billed_credits}) => sum + billed_credits, 0);
		const used = entries.reduce((sum, {amount, reason}) => (reason === 'gift' ? sum : sum - amount), 0);
		const counted = members.reduce((sum, {month_used}) => sum + month_used, 0);
		const overdue = sandboxes.filter(each => each.billed_credits > 2 + Math.ceil(each.past_seconds / 60));
		return [
			...(billed === used && billed === counted && balance === gift - used
				? []
				: [`billed ${billed}, entries ${used}, counted ${counted}, left ${balance} of ${gift}`]),
			...overdue.map(each => `billed ${each.billed_credits} for ${each.past_seconds} s`),
		];
	} finally {
		await database.destroy();
	}
}

/** What a client knows of an environment whose log it follows. */
export type Followed = {
	readonly id: string;
	text: string;
	after: number;
	ended: string | null;
};

/** A client that follows logs through whichever server answers. */
export function createFollower(key: string, urls: () => readonly string[]) {
	const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
	const base = '/api/v1/org/acme/ws/main/environments';
	let turn = 0;
	const ask = async (path: string, method = 'GET', body?: unknown) => {
		const all = urls();
		turn += 1;
		return await fetch(`${all[turn % all.length]}${base}${path}`, {
			...{method, headers, signal: AbortSignal.timeout(30_000)},
			...(body !== undefined && {body: JSON.stringify(body)}),
		}).catch(() => undefined);
	};
	return {
		/** Creates an environment. Returns undefined if nobody answered that it was. */
		async create(): Promise<Followed | undefined> {
			const response = await ask('', 'POST', {task_ref: 'writer', timeout_sec: 3600});
			const json = response?.ok ? await response.json().catch(() => undefined) : undefined;
			return json && {id: json.id, text: '', after: 0, ended: null};
		},
		stop: async ({id}: Followed) => (await ask(`/${id}/stop`, 'POST'))?.ok ?? false,
		/** Reads what is new in a log. Throws if a server answers with another part than was asked for. */
		async poll(followed: Followed): Promise<void> {
			const response = await ask(`/${followed.id}/logs?after=${followed.after}`);
			const answer = response?.ok ? await response.json().catch(() => undefined) : undefined;
			if (!response || !answer) {
				return;
			}

			const numberOf = (name: string) => Number(response.headers.get(name));
			if (numberOf('x-log-start') !== followed.after) {
				throw new Error(`asked for ${followed.after}, got ${numberOf('x-log-start')}`);
			}

			followed.text += answer.logs;
			followed.after = numberOf('x-log-offset');
			followed.ended = response.headers.get('x-log-ended');
		},
	};
}

/** Does something again and again until it says that it is done. Throws an error with `what` if that doesn't come. */
export async function until(what: string, act: () => Promise<boolean>): Promise<void> {
	for (let count = 0; !(await act()); count += 1) {
		if (count > maxPolls) {
			throw new Error(`Never: ${what}`);
		}

		await sleep(restMs);
	}
}

/** Returns what is wrong with a log whose sandbox has ended: each line once and in order, and one start. */
export function wrongLines({text: log, id}: Followed): readonly string[] {
	const [start, ...numbered] = linesOfCommand(log.split('\n').filter(Boolean));
	const starts = [start, ...numbered].filter(line => line?.startsWith('start ')).length;
	// The last one may be cut: its process was ended in it.
	const wrong = numbered.slice(0, -1).findIndex((line, index) => line !== `${index} grüße 😀`);
	return [
		...(starts === 1 && start?.startsWith('start ') ? [] : [`${id} was started ${starts} times`]),
		...(wrong < 0 ? [] : [`${id}: “${numbered[wrong]}” in place of line ${wrong}`]),
	];
}

/**
 * Returns the lines of the command. Those of the sandbox and the server stand where its log was then, perhaps in a line, or in a
 * character of it: the rest follows.
 */
function linesOfCommand(lines: readonly string[]): readonly string[] {
	const isOwn = (line = '') => /^\[(?:sandbox|server)\] /.test(line);
	const found: string[] = [];
	lines.forEach((line, at) => {
		const last = found.at(-1);
		if (isOwn(line)) {
			return;
		}

		if (last !== undefined && isOwn(lines[at - 1]) && !/^start |😀$/u.test(last)) {
			const whole = `${Number.parseInt(last, 10)} grüße 😀`;
			const isRest = whole.startsWith(last.replace(/\uFFFD+$/, '')) && whole.endsWith(line.replace(/^\uFFFD+/, ''));
			found[found.length - 1] = isRest ? whole : last + line;
			return;
		}

		found.push(line);
	});
	return found;
}

/** Returns a new data folder. */
export const newDataFolder = () => join(folderWith(), 'data');

/** What servers need here to run sandboxes. */
export const bubblewrap = needs(['bwrap', '--ro-bind', '/', '/', 'true']);
