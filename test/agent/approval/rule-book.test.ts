import {mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createRuleBook} from '../../../src/agent/approval/rule-book.ts';
import {judgeByRules} from '../../../src/agent/approval/ruling.ts';
import {parseRule, type Rule, ruleText} from '../../../src/agent/policy/rules/rule.ts';
import {redactKnown} from '../../../src/core/secrets/redact.ts';
import {temporaryFolder, temporaryHome} from '../../storage/temporary.ts';

function setUp({flags = [] as readonly string[], home = temporaryHome(), folder = temporaryFolder()} = {}) {
	const path = home.approvalsFile;
	const book = createRuleBook({
		folder: () => folder,
		flags: flags.map(rule => parseRule(rule)),
		path,
		hide: redactKnown,
	});
	const judge = judgeByRules({
		list: book.list,
		workspace: () => folder,
		places: {stateFolder: home.path},
		hide: redactKnown,
	});
	const run = (command: string) => judge({kind: 'command', command, folder, containment: 'none'});
	return {home, folder, book, run};
}

const shown = (rules: readonly Rule[]) => rules.map(rule => [rule.place?.source, rule.effect, ruleText(rule)]);
const [test1, test2] = [parseRule('run_command(npm test *)'), parseRule('edit_file(dist/**)')];

test('rules are numbered: those of the command line, of the session, and of the folder', async () => {
	const {book, run} = setUp({flags: ['edit_file(docs/**)']});
	await book.add({...test2, effect: 'deny'}, 'folder');
	await book.add(test1, 'session');
	expect(shown(book.list())).toEqual([
		['flag', 'allow', 'edit_file(docs/**)'],
		['session', 'allow', 'run_command(npm test *)'],
		['folder', 'deny', 'edit_file(dist/**)'],
	]);
	expect(await run('npm test -- a')).toEqual({
		effect: 'allow',
		by: [{...test1, place: {number: 2, source: 'session'}}],
	});
	expect(await book.revoke(9)).toBe(undefined);
	await book.revoke(2);
	await book.revoke(2);
	expect(shown(book.list())).toEqual([['flag', 'allow', 'edit_file(docs/**)']]);
});

test('a new session begins without the rules of the one before, but with those of the folder', async () => {
	const {book, run} = setUp();
	await book.add(test1, 'session');
	await book.add(test2, 'folder');
	book.startSession();
	expect(shown(book.list())).toEqual([['folder', 'allow', 'edit_file(dist/**)']]);
	expect((await run('npm test')).effect).toBe('ask');
});

test('a rule tells what it allowed last, without credentials [8]', async () => {
	const {book} = setUp();
	await book.add(test1, 'session');
	const command = `npm test sk-ant-api03-${'a'.repeat(90)} --token a1b2c3d4`;
	book.noteUse([test1], {kind: 'command', command, folder: '/', containment: 'none'});
	expect(book.list()).toMatchObject([{lastAllowed: 'npm test *** --token ***'}]);
});

test('a rule that would hold a credential is not suggested, since rules are kept as they are [8]', async () => {
	const {run} = setUp();
	const suggestionsFor = async (command: string) => {
		const verdict = await run(command);
		return verdict.effect === 'ask' ? verdict.suggestions : undefined;
	};

	expect(await suggestionsFor('deploy eu --token x')).toEqual(['run_command(deploy eu --token x)']);
	for (const command of [`deploy sk-ant-api03-${'a'.repeat(90)}`, 'deploy eu --token a1b2c3d4']) {
		expect(await suggestionsFor(command)).toEqual([]);
	}
});

test('rules of a folder are private, for that folder alone, and seen by other processes at once [10]', async () => {
	const {home, book, run, folder} = setUp();
	const other = setUp({home});
	const same = setUp({home, folder});
	await book.add(test1, 'folder');
	expect((await run('npm test')).effect).toBe('allow');
	expect((await same.run('npm test')).effect).toBe('allow');
	expect((await other.run('npm test')).effect).toBe('ask');
	await same.book.revoke(1);
	expect((await run('npm test')).effect).toBe('ask');
	expect(statSync(home.approvalsFile).mode & 0o777).toBe(0o600);
});

test('8 processes that add rules at the same time lose none [18]', async () => {
	const {home, folder, book} = setUp();
	await Promise.all(
		Array.from({length: 8}, (_, index) =>
			setUp({home, folder}).book.add(parseRule(`run_command(task ${index})`), 'folder'),
		),
	);
	expect(book.list()).toHaveLength(8);
});

test('no file of the project adds a rule [12]', async () => {
	const {folder, run, book} = setUp();
	mkdirSync(join(folder, '.service'));
	const rules = JSON.stringify({folders: {[folder]: [{effect: 'allow', rule: 'run_command'}]}});
	for (const path of ['.service/approvals.json', 'approvals.json', '.service/settings.json']) {
		writeFileSync(join(folder, path), rules);
	}

	expect([book.list(), (await run('npm test')).effect]).toEqual([[], 'ask']);
});

test('a broken file is an error, because a rule that denies might be in it; unknown entries are kept', async () => {
	const {home, folder, book, run} = setUp();
	writeFileSync(home.approvalsFile, '{', {mode: 0o600});
	expect(() => book.list()).toThrow(`The approval rules in ${home.approvalsFile} can't be read.`);
	await expect(run('npm test')).rejects.toThrow("can't be read");
	const later = {effect: 'allow', rule: 'new_tool(x)', until: 'tomorrow'};
	writeFileSync(home.approvalsFile, JSON.stringify({folders: {[folder]: [later, 3]}}), {mode: 0o600});
	expect(book.list()).toEqual([]);
	await book.add(test1, 'folder');
	expect(JSON.parse(readFileSync(home.approvalsFile, 'utf8')).folders[folder]).toEqual([
		later,
		3,
		{effect: 'allow', rule: 'run_command(npm test *)'},
	]);
});
