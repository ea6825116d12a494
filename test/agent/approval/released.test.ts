import {expect, test} from 'vitest';
import {type ApprovalQuestion, createApprovals} from '../../../src/agent/approval/approval.ts';
import {createRuleBook} from '../../../src/agent/approval/rule-book.ts';
import {judgeByRules} from '../../../src/agent/approval/ruling.ts';
import {parseRule} from '../../../src/agent/policy/rules/rule.ts';
import type {Act, ApprovalAnswer, ApprovalMode} from '../../../src/core/session/approval.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {temporaryFolder, temporaryHome} from '../../storage/temporary.ts';

const hide = (text: string) => text;

/** Real rules and a user who answers when the test says so. */
function setUp({home = temporaryHome(), folder = temporaryFolder()} = {}) {
	const book = createRuleBook({folder: () => folder, flags: [], path: home.approvalsFile, hide});
	let mode: ApprovalMode = 'ask';
	const modeListeners = new Set<() => void>();
	const asked: Array<{
		readonly request: ApprovalQuestion;
		readonly answer: (decision: ApprovalAnswer) => void;
		isOpen: boolean;
	}> = [];
	const approvals = createApprovals({
		decide: (request, signal) =>
			new Promise((resolve, reject) => {
				const question = {request, answer: resolve, isOpen: true};
				asked.push(question);
				signal.addEventListener('abort', () => {
					question.isOpen = false;
					reject(signal.reason);
				});
			}),
		judge: judgeByRules({list: book.list, workspace: () => folder, places: {stateFolder: home.path}, hide}),
		mode: () => mode,
		async keep(scope, rules) {
			for (const rule of scope === 'edits' ? [] : rules) {
				await book.add(parseRule(rule), scope === 'folder' ? 'folder' : 'session');
			}
		},
		onChange(listener) {
			modeListeners.add(listener);
			const stop = book.onChange(listener);
			return () => {
				modeListeners.delete(listener);
				stop();
			};
		},
	});
	const events: AgentEvent[] = [];
	const startRun = approvals.startRun();
	const aborting = new AbortController();
	const approve = (id: string, act: Act) =>
		startRun({id, signal: aborting.signal, emit: event => events.push(event)})({
			act,
			summary: id,
			subject: JSON.stringify(act),
		});
	return {
		home,
		folder,
		book,
		asked,
		events,
		aborting,
		modeListeners,
		run: (command: string) => approve(command, {kind: 'command', command, folder, containment: 'sandbox'}),
		edit: (name: string) => approve(name, {kind: 'edit', path: `${folder}/${name}`}),
		setMode(next: ApprovalMode) {
			mode = next;
			for (const listener of modeListeners) {
				listener();
			}
		},
		open: () => asked.filter(({isOpen}) => isOpen).map(({request}) => request.summary),
	};
}

const isAllowed = {allowed: true};

test('a rule that was just kept answers the question on screen, which closes', async () => {
	const {run, book, open, events, asked} = setUp();
	const waiting = run('npm test');
	await expect.poll(open).toEqual(['npm test']);
	await book.add(parseRule('run_command(npm test *)'), 'session');
	expect(await waiting).toEqual(isAllowed);
	expect(open()).toEqual([]);
	expect(events).toMatchObject([
		{type: 'approval-request', id: 'npm test', hash: asked[0]?.request.hash},
		{type: 'approval-answer', allowed: true, by: 'run_command(npm test *)', hash: asked[0]?.request.hash},
	]);
});

test('it answers each question that it covers behind that one, and no other', async () => {
	const {run, book, open, asked} = setUp();
	const first = run('make');
	const second = run('npm test');
	const third = run('npm publish');
	await expect.poll(open).toEqual(['make']);
	await book.add(parseRule('run_command(npm test *)'), 'folder');
	expect(await second).toEqual(isAllowed);
	expect(open()).toEqual(['make']);
	asked[0]?.answer({allowed: false});
	expect(await first).toEqual({allowed: false});
	await expect.poll(() => asked.at(-1)?.request.summary).toBe('npm publish');
	asked[1]?.answer({allowed: false});
	expect(await third).toEqual({allowed: false});
	expect(asked).toHaveLength(2);
});

test('an answer that keeps a rule answers what waits behind its question', async () => {
	const {run, asked, open} = setUp();
	const all = [run('npm test'), run('npm test -- -t a'), run('make'), run('npm test -- src')];
	await expect.poll(open).toEqual(['npm test']);
	asked[0]?.answer({allowed: true, hash: asked[0].request.hash, keep: 'session'});
	expect(await all[1]).toEqual(isAllowed);
	expect(await all[3]).toEqual(isAllowed);
	await expect.poll(() => asked.map(({request}) => request.summary)).toEqual(['npm test', 'make']);
});

test('[14] a rule that denies what waits refuses it', async () => {
	const {run, book, open, asked} = setUp();
	const first = run('make');
	const second = run('npm publish');
	await expect.poll(open).toEqual(['make']);
	await book.add(parseRule('run_command(npm publish *)', 'deny'), 'session');
	await expect(second).rejects.toThrow('denies this');
	await book.add(parseRule('run_command(make *)', 'deny'), 'folder');
	await expect(first).rejects.toThrow('denies this');
	expect(asked).toHaveLength(1);
	expect(open()).toEqual([]);
});

test('a rule that another process keeps for the folder answers as well', async () => {
	const here = setUp();
	const there = setUp({home: here.home, folder: here.folder});
	const waiting = here.run('npm test');
	await expect.poll(here.open).toEqual(['npm test']);
	await there.book.add(parseRule('run_command(npm test *)'), 'folder');
	expect(await waiting).toEqual(isAllowed);
});

test('a mode that allows what waits answers it; one that refuses it leaves the question open', async () => {
	const {edit, run, open, setMode, asked} = setUp();
	const first = edit('a.ts');
	const second = run('make');
	await expect.poll(open).toEqual(['a.ts']);
	setMode('plan');
	setMode('edits');
	expect(await first).toEqual(isAllowed);
	await expect.poll(open).toEqual(['make']);
	setMode('all');
	expect(await second).toEqual(isAllowed);
	expect(asked).toHaveLength(2);
});

test('a rule that changes nothing leaves the question open, and an answer ends its listeners', async () => {
	const {run, book, open, asked, modeListeners} = setUp();
	const waiting = run('npm test');
	await expect.poll(open).toEqual(['npm test']);
	await book.add(parseRule('run_command(make *)'), 'session');
	expect(open()).toEqual(['npm test']);
	asked[0]?.answer({allowed: false});
	expect(await waiting).toEqual({allowed: false});
	expect(modeListeners.size).toBe(0);
});

test('an interrupt ends what waits, also behind another question', async () => {
	const {run, open, aborting, modeListeners} = setUp();
	const all = [run('make'), run('npm test')];
	await expect.poll(open).toEqual(['make']);
	aborting.abort(new Error('stopped'));
	for (const each of all) {
		await expect(each).rejects.toThrow('stopped');
	}

	expect(modeListeners.size).toBe(0);
});
