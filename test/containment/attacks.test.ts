import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, existsSync, mkdtempSync, realpathSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {hasBubblewrap, skipped} from '../agent/sandbox/needs-bubblewrap.ts';
import {buildCommandPrograms} from '../build-once.ts';
import {supervisor} from '../server/sandboxes/supervisor.ts';
import {type Outcome, openOutside, runAttacks, type Side} from './attack-sides.ts';
import {attacks} from './attack-table.ts';

const scripts = Object.fromEntries(Object.entries(attacks).map(([name, {script}]) => [name, script]));
const hasPerl = existsSync('/usr/bin/perl');

/** Another user than root, whom bubblewrap gives a user namespace. */
const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--', process.execPath];
const isRoot = process.getuid?.() === 0;
const canBeNobody = isRoot && spawnSync('setpriv', [...nobody.slice(1), '--version']).status === 0;
const whyNot = isRoot ? 'setpriv or Node does not work for nobody' : 'only root can become another user';

let built = '';
beforeAll(async () => {
	built = realpathSync(mkdtempSync(join(tmpdir(), 'service-attack-')));
	chmodSync(built, 0o755);
	await buildCommandPrograms(built, {
		worker: join(import.meta.dirname, 'attack-worker.ts'),
		supervisor: join(import.meta.dirname, '../../src/server/sandboxes/supervisor/supervisor.ts'),
	});
});
afterAll(() => rmSync(built, {recursive: true, force: true}));

/** Runs the attacks in a program of nobody. */
async function asNobody(side: Side): Promise<Outcome> {
	const [program = '', ...args] = nobody;
	const supervisorHere = pathToFileURL(join(built, 'supervisor.mjs')).href;
	const env = {PATH: process.env['PATH'], TMPDIR: '/tmp', HOME: '/nonexistent'};
	const output = execFileSync(program, [...args, join(built, 'worker.mjs'), side, supervisorHere], {
		input: JSON.stringify(scripts),
		env,
		encoding: 'utf8',
	});
	return JSON.parse(output);
}

const asThisUser = (side: Side) => runAttacks(side, scripts, supervisor);
const user = isRoot ? 'of root' : 'of this user';
const nobodySkipped = canBeNobody ? '' : ` (SKIPPED, nothing of this is tested: ${whyNot})`;

const sides = [
	{name: `a command of the agent ${user}`, side: 'command', run: asThisUser, isSkipped: false},
	{name: `a task of the server ${user}`, side: 'task', run: asThisUser, isSkipped: false},
	{name: `a command of the agent of nobody${nobodySkipped}`, side: 'command', run: asNobody, isSkipped: !canBeNobody},
	{name: `a task of the server of nobody${nobodySkipped}`, side: 'task', run: asNobody, isSkipped: !canBeNobody},
] as const;

describe.each(sides.map(each => [each.name, each] as const))(`[15] %s${skipped}`, (_, {side, run, isSkipped}) => {
	const isOff = !hasBubblewrap || isSkipped;
	let outcome: Outcome | undefined;
	beforeAll(async () => {
		outcome = isOff ? undefined : await run(side);
	});

	for (const [name, {expected = /tried\n/, needs = []}] of Object.entries(attacks)) {
		const lacksPerl = needs.includes('perl') && !hasPerl;
		test.skipIf(isOff || lacksPerl)(`${name}${lacksPerl ? ' (SKIPPED, perl is missing)' : ''}`, ({skip}) => {
			skip(
				needs.includes('network') && outcome?.notice.includes('the network is OPEN') === true,
				'SKIPPED: a task has no network of its own here',
			);
			const output = outcome?.outputs[name] ?? '';
			expect(output).not.toContain('BREACH');
			expect(output).toMatch(expected);
			expect(output).toContain('tried\n');
		});
	}

	test.skipIf(isOff)('leaves what is outside as it was', () => {
		const reachable = outcome?.notice.includes('the network is OPEN') ? ['port', 'abstract'] : [];
		const {connections = [], ...rest} = outcome?.outside ?? {};
		expect(connections.filter(name => !reachable.includes(name))).toEqual([]);
		expect(rest).toEqual({isVictimAlive: true, file: 'as it was'});
	});
});

test.skipIf(!hasPerl)('what attacks try to reach can be reached without a sandbox', async () => {
	const root = realpathSync(mkdtempSync(join(tmpdir(), 'service-attacks-')));
	onTestFinished(() => rmSync(root, {recursive: true, force: true}));
	const {outside, look, close} = await openOutside(root);
	onTestFinished(close);
	for (const name of Object.keys(attacks).filter(each => each.startsWith('reaches '))) {
		const env = {PATH: process.env['PATH'], ...outside};
		const child = spawn('sh', ['-c', scripts[name] ?? ''], {env, stdio: 'ignore'});
		const [status] = await once(child, 'exit');
		expect(status).toBe(0);
	}

	await expect
		.poll(() => [...new Set(look().connections)].sort())
		.toEqual(['abstract', 'other socket', 'port', 'socket', 'socket of a tool']);
});
