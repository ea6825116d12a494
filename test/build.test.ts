import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import process from 'node:process';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {modulesOfFirstFrame} from '../.scripts/bundle-first-chunk.mjs';
import {inkStandInFor} from '../.scripts/bundle-stand-ins.mjs';
import {replaceOnce} from '../.scripts/replace-once.mjs';
import {mostFor} from './stored-cost.ts';

type Pack = {readonly bytes: number; readonly chunks: readonly string[]};

const outdir = mkdtempSync(join(tmpdir(), 'service-build-'));
let packs: Readonly<Record<string, Pack>> = {};
let outputs: Readonly<Record<string, {readonly inputs: Readonly<Record<string, unknown>>}>> = {};

beforeAll(() => {
	execFileSync(process.execPath, ['.scripts/build.mjs', '--meta', '--fast', '--outdir', outdir]);
	({packs, outputs} = JSON.parse(readFileSync(join(outdir, 'meta.json'), 'utf8')));
});

afterAll(() => rmSync(outdir, {recursive: true, force: true}));

/** The packs that Node reads before the first frame. A test of the built program in `test/e2e` holds that these are all. */
const firstFrame = ['main', 'shared', 'screen'];
/** The packs that `-p` and every command of a shell read first. */
const withoutScreen = ['main', 'shared', 'program'];

function named(names: readonly string[]): readonly Pack[] {
	return names.map(name => {
		const found = Object.keys(packs).find(key => key.replace(/-[\da-f]{8}$/, '') === name);
		return packs[found ?? ''] ?? expect.fail(`The build has no pack ${name}.`);
	});
}

const bytesOf = (names: readonly string[]) => named(names).reduce((sum, {bytes}) => sum + bytes, 0);
const modulesOf = (names: readonly string[]) =>
	named(names).flatMap(({chunks}) => chunks.flatMap(path => Object.keys(outputs[path]?.inputs ?? {})));
const packagesOf = (names: readonly string[]) =>
	new Set(modulesOf(names).map(path => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]));

/** Lower a figure when a change makes a start cheaper; a raise needs a reason in the commit. */
test.each([
	{start: 'every start', packs: ['main'], modules: 17, bytes: 27_500},
	{start: 'the first frame', packs: firstFrame, modules: 259, bytes: 406_900},
	{start: 'a command, or -p', packs: withoutScreen, modules: 538, bytes: 741_000},
])('$start reads hardly more modules and bytes than it did', ({packs: names, modules, bytes}) => {
	expect(modulesOf(names).length).toBeLessThanOrEqual(mostFor(modules));
	expect(bytesOf(names)).toBeLessThanOrEqual(mostFor(bytes));
});

test('a command and -p read nothing of the screen and of the server', () => {
	const packages = packagesOf(withoutScreen);
	for (const other of ['ink', 'react', 'react-reconciler', 'yoga-layout', 'hono', 'kysely', 'undici', 'marked']) {
		expect(packages, other).not.toContain(other);
	}

	expect(modulesOf(withoutScreen).filter(path => /^src\/(?:ui|server)\//.test(path))).toEqual([]);
});

test('the first frame waits for no network, Markdown, settings or validation library', () => {
	const packages = packagesOf(firstFrame);
	expect(packages).toContain('ink');
	for (const late of [
		...['undici', 'marked', 'highlight.js', 'diff', 'conf', 'zod'],
		...['kysely', 'hono', 'protobufjs', 'string-width'],
	]) {
		expect(packages, late).not.toContain(late);
	}
});

test('the first frame loads nothing that only SERVICE_DEBUG needs', () => {
	const modules = modulesOf(firstFrame);
	const all = Object.values(outputs).flatMap(({inputs}) => Object.keys(inputs));
	for (const path of ['src/storage/debug-log.ts', 'src/ui/screen/frame-log.ts', 'src/net/debug-transport.ts']) {
		expect(all).toContain(path);
		expect(modules).not.toContain(path);
	}
});

test('a start, a command and -p load nothing of the agent for editors, and zod is there once', () => {
	const all = Object.values(outputs).flatMap(({inputs}) => Object.keys(inputs));
	const isOfEditors = (path: string) => /^src\/acp\/|@agentclientprotocol/.test(path);
	expect(all.filter(isOfEditors)).toEqual(
		expect.arrayContaining(['src/acp/protocol.ts', 'src/acp/editor-session.ts', 'src/acp/session-updates.ts']),
	);
	expect(modulesOf([...new Set([...firstFrame, ...withoutScreen])]).filter(isOfEditors)).toEqual([]);
	const zods = all.flatMap(path => /^(.*node_modules\/zod)\//.exec(path)?.[1] ?? []);
	expect([...new Set(zods)]).toEqual(['node_modules/zod']);
});

test('no pack imports by itself: Node 20 finds nothing for a script whose compiled code was kept', () => {
	for (const name of Object.keys(packs)) {
		expect([name, /(?<![\w$.])import\(/.exec(readFileSync(join(outdir, 'chunks', `${name}.js`), 'utf8'))]).toEqual([
			name,
			null,
		]);
	}
});

test('what is imported late from a package of CommonJS is read from its default: a chunk of it exports nothing else', () => {
	const isCommonJs = (specifier: string) => {
		const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
		const {type, exports} = JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'));
		return type !== 'module' && !('import' in (exports?.['.'] ?? {}));
	};
	// They stay packages, which Node imports itself.
	const external = ['@vscode/ripgrep', '@napi-rs/keyring'];
	const files = ['src', 'commands'].flatMap(folder =>
		readdirSync(folder, {recursive: true, encoding: 'utf8'}).map(path => join(folder, path)),
	);
	const found = files
		.filter(path => /\.tsx?$/.test(path))
		.map(path => ({path, text: readFileSync(path, 'utf8')}))
		.map(({path, text}) => ({
			path,
			late: [...text.matchAll(/import\('(?![./]|node:)([^']+)'\)/g)].filter(
				([, specifier = '']) => !external.includes(specifier) && isCommonJs(specifier),
			).length,
			defaults: text.split('{default: ').length - 1,
		}));
	expect(found.reduce((sum, {late}) => sum + late, 0)).toBeGreaterThan(0);
	expect(found.filter(({late, defaults}) => late > defaults)).toEqual([]);
});

test('no pack has the WebAssembly of Yoga: the layout of the screen is our own', () => {
	const modules = Object.values(outputs).flatMap(({inputs}) => Object.keys(inputs));
	expect(modules.filter(path => path.includes('yoga-layout/'))).toEqual([]);
	expect(modules).toContain('src/ui/screen/ink/stacked-rows.ts');
});

test.each([
	['nothing', 'const wasm = load();'],
	['two places', 'loadYoga(); loadYoga();'],
])('a patch that would change %s of a module fails the build', (_, source) => {
	expect(() => replaceOnce(source, /loadYoga\(\)/, 'loadYoga({wasmBinary})', 'yoga-layout')).toThrow(/yoga-layout has/);
});

test('no line of a frame is taken apart into characters: the modules of Ink that did so are replaced', () => {
	const modules = Object.values(outputs).flatMap(({inputs}) => Object.keys(inputs));
	expect(modules.filter(path => /node_modules\/(?:@alcalzone|slice-ansi|cli-truncate)/.test(path))).toEqual([]);
	expect(modules).toContain('src/ui/screen/ink/row-output.ts');
	expect(modules).toContain('src/ui/screen/ink/ink-text.ts');
});

test('a newer Ink with another source of a replaced module fails the build', () => {
	const folder = join(outdir, 'node_modules/ink/build');
	mkdirSync(folder, {recursive: true});
	const path = join(folder, 'output.js');
	writeFileSync(path, `${readFileSync('node_modules/ink/build/output.js', 'utf8')} `);
	expect(() => inkStandInFor('.', path)).toThrow(/output\.js has changed\. Adapt what replaces it/);
	expect(inkStandInFor('.', 'node_modules/ink/build/dom.js')).toBeUndefined();
	expect(inkStandInFor(process.cwd(), join(process.cwd(), 'node_modules/ink/build/output.js'))).toContain(
		'row-output.ts',
	);
});

test('the chunk plan fails the build if modules of the first frame are renamed', () => {
	expect(() => modulesOfFirstFrame({inputs: {'src/main.ts': {imports: []}}})).toThrow('src/store/store.ts');
});
