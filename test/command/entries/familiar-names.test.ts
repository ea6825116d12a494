import {expect, test} from 'vitest';
import {commands} from '../../../commands/index.ts';
import {complete} from '../../../src/command/completion/complete.ts';
import type {Entry} from '../../../src/command/context.ts';
import {familiarEntries, joinEntries} from '../../../src/command/entries/entry-source.ts';
import {familiarNames} from '../../../src/command/entries/familiar-names.ts';
import {promptEntry} from '../../../src/command/entries/prompt-entry.ts';
import {allCommands, findCommand} from '../../../src/command/table.ts';
import type {LiveSession} from '../../../src/session/conversation.ts';
import {drawn, testContext} from '../../commands/context.ts';
import {runInProcess} from '../../e2e/in-process.ts';
import {screenKeysIn} from '../../screen-keys.ts';
import {realApp} from '../../ui/prompt/real-app.ts';

const names = familiarNames(commands);
/** Names whose sentence names a key of the screen. */
const usesKeys = new Set(
	'terminal-setup ide history search find paste image edit editor stop cancel abort interrupt'.split(' '),
);
const taken = new Set(commands.flatMap(({name, aliases = []}) => [name, ...aliases]));

test('each familiar name stands once in the table, and none hides a command', () => {
	expect(new Set(names.map(({name}) => name)).size).toBe(names.length);
	expect(names.filter(({name}) => taken.has(name))).toEqual([]);
});

test('names of Claude Code, Codex, gh and k9s lead somewhere', () => {
	const known = new Set([...taken, ...names.map(({name}) => name)]);
	const wanted =
		'permissions allowed-tools status hooks redo cost todos tasks exit agents bashes bug config doctor export review ' +
		'add-dir keybindings stats statusline terminal-setup output-style privacy-settings release-notes plugin ide ' +
		'approvals feedback mention ps personality history models pr issue auth ns ctx pods describe kill tail logs q ' +
		'get svc events yaml port-forward api gist fast btw';
	expect(wanted.split(' ').filter(name => !known.has(name))).toEqual([]);
});

test('a familiar name runs what it stands for, or says where that is', async () => {
	const {type, waitFor} = await realApp();
	await waitFor('custom/alpha');
	type('/permissions\r');
	await waitFor('No rules');
	type('/redo\r');
	await waitFor('Nothing to redo.');
	type('/todos\r');
	await waitFor('The steps of the agent stand above the prompt while it has a list.');
});

test.each(names.filter(({summary}) => !summary.startsWith('Same as')))(
	'/$name tells of no key of the screen where the app runs line by line',
	async ({name}) => {
		const place = testContext();
		const {command} = findCommand(names, [name]);
		const live = place.context.program.session.conversation as unknown as LiveSession;
		const context = {...place.context, ui: {...place.context.ui, live}};
		expect(screenKeysIn(drawn(await command.execute({}, context), 120)).length > 0).toBe(usesKeys.has(name));
		place.store.setState({isLineByLine: true});
		expect(screenKeysIn(drawn(await command.execute({}, context), 120))).toEqual([]);
	},
);

test('Enter on a name or an alias that is typed in full runs it, whatever else the menu offers', async () => {
	const joined = joinEntries(commands, [familiarEntries(commands)]);
	await joined.refresh();
	const all = joined.all().filter(entry => complete([entry], `/${entry.name}`).length > 0);
	const typed = all.flatMap(entry => [entry.name, ...(entry.aliases ?? [])]);
	const others = typed.filter(name => {
		const [first] = complete(all, `/${name}`);
		return entryOf(all, first?.line.trim().slice(1).split(' ')[0]) !== entryOf(all, name);
	});
	expect(typed.length).toBeGreaterThan(200);
	expect(others).toEqual([]);
});

/** Returns the command or noun that a first word names. */
function entryOf(all: readonly Entry[], word: string | undefined) {
	return all.find(({name}) => name === word) ?? all.find(({aliases = []}) => aliases.includes(word ?? ''));
}

test('the menu offers a familiar name after the commands, once it is typed', async () => {
	const joined = joinEntries(commands, [familiarEntries(commands)]);
	await joined.refresh();
	const labels = (line: string) => complete(joined.all(), line).map(({label}) => label);
	expect(labels('/')).not.toContain('/permissions');
	expect(labels('/perm')).toEqual(['/permissions']);
	// Enter runs it at once.
	expect(complete(joined.all(), '/perm')).toEqual([
		{line: '/permissions', label: '/permissions', summary: 'Same as /approvals'},
	]);
	expect(labels('/re').indexOf('/redo')).toBeGreaterThan(labels('/re').indexOf('/resume'));
	expect(allCommands(joined.all())).toEqual(allCommands(commands));
});

test("a command of the user's own has its name, and nobody is told", async () => {
	const own = promptEntry({name: 'tasks', summary: 'mine', textFor: typed => typed});
	const mine = {kind: 'prompt file', entries: () => [own], refresh: async () => undefined};
	const joined = joinEntries(commands, [mine, familiarEntries(commands)]);
	expect(await joined.refresh()).toEqual([]);
	expect(findCommand(joined.all(), ['tasks']).command).toBe(own);
});

test('a familiar name works in a shell, too', async () => {
	const {stdout, stderr, status} = await runInProcess(['permissions']);
	expect([stdout.split('\n')[0], stderr, status]).toEqual([expect.stringMatching(/No rules/), '', 0]);
	expect(await runInProcess(['redo'])).toMatchObject({
		status: 2,
		stderr: expect.stringContaining('works inside the app only.'),
	});
});
