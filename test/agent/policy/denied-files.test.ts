import {linkSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {judge} from '../../../src/agent/approval/ruling.ts';
import {readMentions} from '../../../src/agent/mentions/read-mentions.ts';
import {deniedFiles} from '../../../src/agent/policy/denied-files.ts';
import {parseNewRule, parseRule} from '../../../src/agent/policy/rules/rule.ts';
import {createReadSkill} from '../../../src/agent/skills/read-skill.ts';
import {createEditFile} from '../../../src/agent/tools/edit-file.ts';
import {createListFiles} from '../../../src/agent/tools/list-files.ts';
import {createReadFile} from '../../../src/agent/tools/read-file.ts';
import {createSearchText} from '../../../src/agent/tools/search-text.ts';
import {createWriteFile} from '../../../src/agent/tools/write-file.ts';
import type {JsonObject} from '../../../src/core/json.ts';
import type {Tool, ToolContext} from '../../../src/core/session/tool.ts';
import {png} from '../images/image-samples.ts';
import {git, makeWorkspace} from '../tools/workspace.ts';

/** What must not come out. */
const content = 'violet-armadillo-7391';

/** Opens a workspace whose rules deny to read these paths; every question is answered with yes. */
async function denying(deny: readonly string[], files: Parameters<typeof makeWorkspace>[0] = {}) {
	const opened = await makeWorkspace(files);
	const {workspace, stateFolder, root} = opened;
	const rules = () => ({
		folder: workspace,
		entries: deny.map(rule => parseRule(rule, 'deny')),
	});
	const places = {stateFolder, homeFolder: join(root, 'home'), rules};
	const images: string[] = [];
	const context: ToolContext = {
		...opened.context,
		approve: async () => ({allowed: true}),
		onImage: async ({bytes}) => {
			images.push(bytes.toString('latin1'));
			return true;
		},
	};
	const tools = [
		createReadFile(places),
		createListFiles(places),
		createSearchText(places),
		createEditFile(places),
		createWriteFile(places),
	];
	const plainSearch = createSearchText({...places, ripgrep: async () => undefined});
	const use = async (tool: Tool | undefined, args: JsonObject) =>
		(await tool?.run(args, context).catch((error: Error) => `${error.message}`)) ?? '';
	const named = (name: string) => tools.find(each => each.name === name);
	return {
		...opened,
		places,
		context,
		tools,
		images,
		rules,
		call: (name: string, args: JsonObject) => use(named(name), args),
		searchPlainly: (args: JsonObject) => use(plainSearch, args),
		async mention(text: string) {
			const found = [];
			const reading = {tools, context, logs: () => [], hide: (shown: string) => shown};
			for await (const each of readMentions(text, reading)) {
				found.push(JSON.stringify(each));
			}

			return found.join('\n');
		},
	};
}

/** Every way in which a tool gives the content of files, or shows that they are there. */
const ways: Readonly<Record<string, (opened: Awaited<ReturnType<typeof denying>>, path: string) => Promise<string>>> = {
	read_file: ({call}, path) => call('read_file', {path}),
	'read_file of the absolute path': ({call, workspace}, path) => call('read_file', {path: join(workspace, path)}),
	'read_file through another folder': ({call}, path) => call('read_file', {path: `src/../${path}`}),
	'search_text in the file': ({call}, path) => call('search_text', {pattern: 'armadillo', path}),
	'search_text in the folder': ({call}) => call('search_text', {pattern: 'armadillo'}),
	'search_text with a glob': ({call}) => call('search_text', {pattern: '.', glob: '**'}),
	'search without ripgrep': ({searchPlainly}) => searchPlainly({pattern: 'armadillo'}),
	'search without ripgrep in the file': ({searchPlainly}, path) => searchPlainly({pattern: 'armadillo', path}),
	list_files: ({call}) => call('list_files', {}),
	'list_files of the path': ({call}, path) => call('list_files', {path}),
	edit_file: ({call}, path) => call('edit_file', {path, edits: [{old_text: 'armadillo', new_text: 'x'}]}),
	'edit_file of a line that is not there': ({call}, path) =>
		call('edit_file', {path, edits: [{old_text: 'violet-armadilla', new_text: 'x'}]}),
	write_file: ({call}, path) => call('write_file', {path, content: 'x'}),
	'a mention': ({mention}, path) => mention(`look at @"${path}" please`),
	'a mention of lines': ({mention}, path) => mention(`look at @"${path}:1-2"`),
	'a mention of its folder': ({mention}, path) => mention(`look at @"${path.split('/')[0]}/"`),
};

/** Those that differ in how they find a file. */
const mainWays = ['read_file', 'search_text in the folder', 'search without ripgrep', 'edit_file', 'a mention'];

const refusal =
	/denies this|denies reading|deny reading|not attached|was not found|not read it|folder|no matches|File not found/;

describe('[14] a denied file', () => {
	test.each(Object.keys(ways))('is not given by %s', async way => {
		const opened = await denying(['read_file(plans/hidden.txt)'], {
			'plans/hidden.txt': `${content}\n`,
			'plans/open.txt': 'open\n',
			'src/a.ts': 'a\n',
		});
		const result = await ways[way]?.(opened, 'plans/hidden.txt');
		expect(result).not.toContain(content);
		expect(way.includes('folder') || result?.match(refusal)).toBeTruthy();
		expect(/search|list_files$/.test(way) ? result : '').not.toContain('plans/hidden.txt:');
	});

	test('of which nothing is denied is given by all of them, so that the table shows something', async () => {
		const opened = await denying([], {'plans/hidden.txt': `${content}\n`, 'src/a.ts': 'a\n'});
		expect(await ways['read_file']?.(opened, 'plans/hidden.txt')).toContain(content);
		expect(await ways['search_text in the folder']?.(opened, '')).toContain(content);
		expect(await ways['search without ripgrep']?.(opened, '')).toContain(content);
		expect(await ways['a mention']?.(opened, 'plans/hidden.txt')).toContain(content);
		expect(await ways['list_files']?.(opened, '')).toContain('plans/hidden.txt');
	});

	test('is counted but not named in lists and searches', async () => {
		const {call} = await denying(['read_file(plans/**)'], {'plans/hidden.txt': content, 'src/a.ts': 'armadillo\n'});
		expect(await call('list_files', {})).toBe("src/a.ts\n[1 left out: the user's rules deny reading]");
		expect(await call('search_text', {pattern: 'armadillo'})).toBe(
			"src/a.ts:1:armadillo\n[1 left out: the user's rules deny reading]",
		);
	});

	test('that is an image is not shown', async () => {
		const opened = await denying(['read_file(shots/*)'], {'shots/a.png': png(4, 4)});
		expect(await opened.call('read_file', {path: 'shots/a.png'})).toMatch(refusal);
		expect(await opened.mention('see @shots/a.png')).toMatch(/not attached/);
		expect(opened.images).toEqual([]);
	});

	test('of a skill is neither named nor read', async () => {
		const {workspace, rules, context} = await denying(['read_file(skill/hidden.md)'], {
			'skill/SKILL.md': 'Do it.',
			'skill/hidden.md': content,
			'skill/open.md': 'open',
		});
		const folder = join(workspace, 'skill');
		const skill = {name: 'do', description: '', body: 'Do it.', folder, path: 'skill/SKILL.md', isOwn: true};
		const tool = createReadSkill({
			skills: async () => [
				{...skill, filesHash: undefined, argumentHint: undefined, isForModel: true, isForUser: true},
			],
			hide: (text: string) => text,
			rules,
		});
		expect(await tool.run({name: 'do'}, context)).not.toContain('hidden.md');
		await expect(tool.run({name: 'do', file: 'hidden.md'}, context)).rejects.toThrow(/denies this/);
		expect(await tool.run({name: 'do', file: 'open.md'}, context)).toBe('open');
	});
});

/** Rules, the file that they are about, and other names that lead to it. */
const forms: ReadonlyArray<readonly [why: string, rule: string, file: string]> = [
	['a folder', 'read_file(plans)', 'plans/deep/a.txt'],
	['a folder with a slash', 'read_file(plans/)', 'plans/deep/a.txt'],
	['a folder and everything', 'read_file(plans/**)', 'plans/deep/a.txt'],
	['a doubled slash', 'read_file(plans//a.txt)', 'plans/a.txt'],
	['a dot on the way', 'read_file(plans/./a.txt)', 'plans/a.txt'],
	['the folder itself', 'read_file(./plans)', 'plans/a.txt'],
	['a name anywhere', 'read_file(a.txt)', 'x/y/a.txt'],
	['everything', 'read_file', 'x/y/a.txt'],
	['all files', 'read_file(**)', 'x/a.txt'],
	['the working folder', 'read_file(.)', 'x/a.txt'],
	['alternatives', 'read_file({plans,notes}/*.{md,txt})', 'notes/a.txt'],
	['NFC for NFD', 'read_file(pl\u00e4ne/caf\u00e9.txt)', 'pla\u0308ne/cafe\u0301.txt'],
	['NFD for NFC', 'read_file(pla\u0308ne/cafe\u0301.txt)', 'pl\u00e4ne/caf\u00e9.txt'],
	['a space for a no-break space', 'read_file(my plans.txt)', 'my\u00a0plans.txt'],
	['a narrow no-break space for a space', 'read_file(Shot 9.41\u202fPM.txt)', 'Shot 9.41 PM.txt'],
	['a no-break space for a narrow one', 'read_file(Shot 9.41\u00a0PM.txt)', 'Shot 9.41\u202fPM.txt'],
	['an ideographic space', 'read_file(my plans.txt)', 'my\u3000plans.txt'],
	['straight quotes for curly ones', "read_file(it's.txt)", 'it\u2019s.txt'],
	['curly quotes for straight ones', 'read_file(it\u2019s.txt)', "it's.txt"],
	['a usual dash for a longer one', 'read_file(en-dash.txt)', 'en\u2013dash.txt'],
	['another case', 'read_file(Plans/Hidden.TXT)', 'plans/hidden.txt'],
	['a sharp s', 'read_file(STRASSE.txt)', 'stra\u00dfe.txt'],
	['an invisible character', 'read_file(hidden.txt)', 'hid\u200bden.txt'],
	['a soft hyphen', 'read_file(hidden.txt)', 'hid\u00adden.txt'],
	['a variation selector', 'read_file(hidden.txt)', 'hidden\ufe0f.txt'],
	['full-width letters', 'read_file(hidden.txt)', '\uff48idden.txt'],
	['a ligature', 'read_file(file.txt)', '\ufb01le.txt'],
	['a folder that looks like this one', 'read_file(./\u200b ./a.txt)', '\u200b ./a.txt'],
	['a folder without a visible character', 'read_file(./\u200b \u200b/a.txt)', '\u200b \u200b/a.txt'],
	['a space behind an invisible folder', 'read_file(./\u200b/\u200b a.txt)', '\u200b/\u200b a.txt'],
];

test.each(forms)('[14] a rule denies by %s: %s', async (_, rule, file) => {
	const opened = await denying([rule], {[file]: `${content}\n`, 'z/other.md': 'other\n'});
	for (const way of mainWays) {
		expect(await ways[way]?.(opened, file)).not.toContain(content);
	}
});

describe('[14] a rule denies every name of a file', () => {
	const links: Readonly<Record<string, (workspace: string) => readonly string[]>> = {
		'a link to it'(workspace) {
			symlinkSync('plans/hidden.txt', join(workspace, 'harmless.txt'));
			return ['harmless.txt'];
		},
		'a link to its folder'(workspace) {
			symlinkSync('plans', join(workspace, 'open'));
			return ['open/hidden.txt', 'open/../plans/hidden.txt'];
		},
		'links through links'(workspace) {
			symlinkSync('plans', join(workspace, 'one'));
			symlinkSync('one', join(workspace, 'two'));
			symlinkSync('two/hidden.txt', join(workspace, 'three'));
			return ['two/hidden.txt', 'three'];
		},
		'a hard link'(workspace) {
			linkSync(join(workspace, 'plans/hidden.txt'), join(workspace, 'copy.txt'));
			return ['copy.txt'];
		},
		'a hard link behind a link'(workspace) {
			linkSync(join(workspace, 'plans/hidden.txt'), join(workspace, 'copy.txt'));
			symlinkSync('copy.txt', join(workspace, 'b.txt'));
			return ['b.txt'];
		},
	};
	test.each(Object.keys(links))('through %s', async kind => {
		const opened = await denying(['read_file(plans/hidden.txt)'], {'plans/hidden.txt': `${content}\n`, 'src/a': 'a'});
		const names = links[kind]?.(opened.workspace) ?? [];
		for (const name of names) {
			for (const way of mainWays) {
				expect(await ways[way]?.(opened, name)).not.toContain(content);
			}
		}
	});

	test.each([
		['read_file(shortcut.txt)', 'data/real.txt'],
		['read_file(door/real.txt)', 'data/real.txt'],
		['read_file(door)', 'data/real.txt'],
		['read_file(d*r/real.txt)', 'data/real.txt'],
		['read_file(chain)', 'data/real.txt'],
	])('the target of a denied link: %s', async (rule, path) => {
		const opened = await denying([rule], {'data/real.txt': `${content}\n`, 'src/a': 'a'});
		symlinkSync('data/real.txt', join(opened.workspace, 'shortcut.txt'));
		symlinkSync('data', join(opened.workspace, 'door'));
		symlinkSync('door/real.txt', join(opened.workspace, 'chain'));
		for (const name of [path, 'shortcut.txt', 'door/real.txt', 'chain']) {
			for (const way of mainWays) {
				expect(await ways[way]?.(opened, name)).not.toContain(content);
			}
		}
	});

	test('a file outside of the folder to which a denied link leads', async () => {
		const opened = await denying(['read_file(shared.txt)'], {'src/a': 'a'});
		writeFileSync(join(opened.root, 'elsewhere.txt'), content);
		symlinkSync('../elsewhere.txt', join(opened.workspace, 'shared.txt'));
		expect(await opened.mention('@shared.txt @../elsewhere.txt')).not.toContain(content);
	});
});

test('[14] what a rule denies can be neither read nor changed, and only that', async () => {
	const {call} = await denying(['read_file(plans/a.txt)'], {
		'plans/a.txt': content,
		'plans/ab.txt': 'open',
		'a.txt': 'b',
	});
	expect(await call('write_file', {path: 'plans/a.txt', content: 'x'})).toMatch(/denies this/);
	expect(await call('read_file', {path: 'plans/ab.txt'})).toBe('1\topen');
	expect(await call('read_file', {path: 'a.txt'})).toBe('1\tb');
});

test('[14] a rule that denies edits denies them by every name', async () => {
	const {workspace, places} = await denying([], {'docs/caf\u00e9.md': 'x'});
	symlinkSync('docs', join(workspace, 'd'));
	const deny = (rule: string, path: string) =>
		judge({kind: 'edit', path: join(workspace, path)}, {folder: workspace, entries: [parseRule(rule, 'deny')]}, places);
	for (const [rule, path] of [
		['edit_file(docs)', 'docs/caf\u00e9.md'],
		['write_file(docs/cafe\u0301.md)', 'docs/caf\u00e9.md'],
		['edit_file(d/**)', 'docs/caf\u00e9.md'],
		['edit_file(docs/**)', 'd/caf\u00e9.md'],
		['read_file(docs/**)', 'd/caf\u00e9.md'],
	] as const) {
		expect([rule, (await deny(rule, path)).effect]).toEqual([rule, 'deny']);
	}

	expect((await deny('edit_file(docs)', 'docs2/a.md')).effect).toBe('ask');
});

test('[14] whatever a file is called and wherever it is, a rule with any form of its name denies it', async () => {
	const {workspace} = await denying([]);
	const letters = [...'abzAZ019\u00e4\u00c4\u00e9\u00df\u0131\ufb01 \u00a0\u202f\u200b._-{},*?[]'];
	const isName = (name: string) => name === name.trim() && name.replaceAll('\u200b', '') !== '..';
	const names = fc
		.array(fc.constantFrom(...letters), {minLength: 1, maxLength: 10})
		.map(characters => characters.join(''))
		.filter(isName);
	const form = fc.constantFrom(
		(text: string) => text.normalize('NFC'),
		(text: string) => text.normalize('NFD'),
		(text: string) => text.toUpperCase(),
		(text: string) => text.toLowerCase(),
		(text: string) => text.replaceAll(' ', '\u00a0'),
		(text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' '),
		(text: string) => text.replaceAll('\u200b', ''),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(names, {minLength: 1, maxLength: 4}), form, form, async (path, ruled, asked) => {
			const entries = [parseRule(`read_file(./${ruled(path.join('/'))})`, 'deny')];
			const denied = await deniedFiles({folder: workspace, entries}, 'read');
			expect(denied?.by(join(workspace, asked(path.join('/'))))).toBeDefined();
		}),
		{numRuns: 100},
	);
});

test.each([
	['allow', 'read_file(src/**)', /would have no effect: files are read without asking/],
	['allow', 'read_file', /would have no effect/],
	['allow', 'read_file(.git/config)', /would have no effect: tools never read or write the data of git/],
	['allow', 'edit_file(.GIT/hooks/*)', /would have no effect/],
	['deny', 'read_file(plans\\hidden.txt)', /would have no effect: paths are written with/],
	['deny', 'fetch_url(127.1)', /that host is written “127.0.0.1”/],
	['deny', 'fetch_url(example.com:99999)', /that host is written/],
	['deny', 'list_files(src)', /Invalid rule/],
	['deny', 'read_file(/etc/passwd)', /relative to the working folder/],
	['deny', 'read_file(a/../../b)', /relative to the working folder/],
] as const)('a rule to %s %s is refused when it is made', (effect, rule, expected) => {
	expect(() => parseNewRule(rule, effect)).toThrow(expected);
});

test('[14] git prints no version of a denied file unasked, also if no command names it', async () => {
	const {workspace, places, rules} = await denying(['read_file(plain.txt)'], {'plain.txt': 'old\n', 'a.txt': 'a\n'});
	git(workspace, 'init', '-q', '-b', 'main', '--template=');
	git(workspace, 'add', '.');
	git(workspace, 'commit', '-q', '-m', 'first');
	writeFileSync(join(workspace, 'plain.txt'), content);
	const effectOf = async (command: string) =>
		(await judge({kind: 'command', command, folder: workspace, containment: 'none'}, rules(), places)).effect;
	for (const command of [
		'git log -p',
		'git show',
		'git diff',
		'git grep violet',
		'git grep old HEAD',
		'git log -S old -p',
	]) {
		expect(await effectOf(command), command).not.toBe('allow');
	}

	git(workspace, 'checkout', '-q', '--', 'plain.txt');
	writeFileSync(join(workspace, 'a.txt'), 'b\n');
	for (const command of ['git status', 'git log --oneline', 'git diff']) {
		expect(await effectOf(command), command).toBe('allow');
	}
});
