import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import process from 'node:process';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {modulesOfFirstFrame} from '../.scripts/bundle-first-chunk.mjs';
import {replaceOnce} from '../.scripts/bundle-yoga.mjs';

type Output = {
	readonly bytes: number;
	readonly entryPoint?: string;
	readonly imports: readonly {readonly path: string; readonly kind: string}[];
	readonly inputs: Readonly<Record<string, unknown>>;
};

const outdir = mkdtempSync(join(tmpdir(), 'service-build-'));
let outputs: Readonly<Record<string, Output>> = {};

beforeAll(() => {
	execFileSync(process.execPath, ['.scripts/build.mjs', '--meta', '--outdir', outdir]);
	({outputs} = JSON.parse(readFileSync(join(outdir, 'meta.json'), 'utf8')));
});

afterAll(() => rmSync(outdir, {recursive: true, force: true}));

/** Returns the files that Node reads before the first frame: those of the entry and of the screen, with their imports. */
function filesOfFirstFrame(): readonly string[] {
	const found = new Set<string>();
	const visit = (path: string) => {
		const output = outputs[path];
		if (output && !found.has(path)) {
			found.add(path);
			for (const {path: next, kind} of output.imports) {
				if (kind === 'import-statement') {
					visit(next);
				}
			}
		}
	};
	for (const [path, {entryPoint}] of Object.entries(outputs)) {
		if (entryPoint === 'src/main.tsx' || entryPoint === 'src/ui/start.tsx') {
			visit(path);
		}
	}

	return [...found];
}

test('the first frame reads at most 10 files and 520 kB', () => {
	const files = filesOfFirstFrame();
	expect(files.length).toBeGreaterThan(1);
	expect(files.length).toBeLessThanOrEqual(10);
	expect(files.reduce((bytes, path) => bytes + (outputs[path]?.bytes ?? 0), 0)).toBeLessThanOrEqual(520_000);
});

test('the first frame waits for no network, Markdown, settings or validation library', () => {
	const modules = filesOfFirstFrame().flatMap(path => Object.keys(outputs[path]?.inputs ?? {}));
	const packages = new Set(modules.map(path => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]));
	expect(packages).toContain('ink');
	for (const late of [
		'undici',
		'marked',
		'highlight.js',
		'diff',
		'conf',
		'zod',
		'kysely',
		'hono',
		'protobufjs',
		'string-width',
	]) {
		expect(packages, late).not.toContain(late);
	}
});

test('the first frame loads nothing that only SERVICE_DEBUG needs', () => {
	const modules = filesOfFirstFrame().flatMap(path => Object.keys(outputs[path]?.inputs ?? {}));
	const all = Object.values(outputs).flatMap(({inputs}) => Object.keys(inputs));
	for (const path of ['src/storage/debug-log.ts', 'src/ui/screen/frame-log.ts', 'src/net/debug-transport.ts']) {
		expect(all).toContain(path);
		expect(modules).not.toContain(path);
	}
});

test('Yoga gets its WebAssembly as bytes, without a data URL to fetch', () => {
	const modules = filesOfFirstFrame().flatMap(path => Object.keys(outputs[path]?.inputs ?? {}));
	expect(modules.filter(path => path.startsWith('yoga-wasm:'))).toHaveLength(1);
	// A WebAssembly module starts with \0asm, which is AGFzbQ in base64.
	const withDataUrl = Object.keys(outputs).filter(path => /base64,AGFzbQ/.test(readFileSync(path, 'utf8')));
	expect(withDataUrl).toEqual([]);
});

test.each([
	['nothing', 'const wasm = load();'],
	['two places', 'loadYoga(); loadYoga();'],
])('a patch that would change %s of a module fails the build', (_, source) => {
	expect(() => replaceOnce(source, /loadYoga\(\)/, 'loadYoga({wasmBinary})', 'yoga-layout')).toThrow(/yoga-layout has/);
});

test('the chunk plan fails the build if modules of the first frame are renamed', () => {
	expect(() => modulesOfFirstFrame({inputs: {'src/main.tsx': {imports: []}}})).toThrow('src/ui/start.tsx');
});
