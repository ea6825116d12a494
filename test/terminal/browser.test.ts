import {chmodSync, readFileSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {canOpenPages, openerOf, openPage} from '../../src/terminal/browser.ts';
import {temporaryFolder} from '../storage/temporary.ts';

const page = 'https://a.test/device?code=A&x=$(id)';

/** A folder with an `xdg-open` that records its arguments and exits with the given status. */
function opener(status: number) {
	const folder = temporaryFolder();
	const seen = join(folder, 'seen');
	writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\n{ echo "$#"; echo "$1"; env; } > '${seen}'\nexit ${status}\n`);
	chmodSync(join(folder, 'xdg-open'), 0o755);
	return {path: `${folder}${delimiter}/usr/bin${delimiter}/bin`, seen: () => readFileSync(seen, 'utf8').split('\n')};
}

test('a program of the platform opens a page, as one argument', () => {
	expect(openerOf(page, 'darwin')).toEqual(['open', page]);
	expect(openerOf(page, 'win32', 'D:\\Win')).toEqual([
		'D:\\Win\\System32\\rundll32.exe',
		'url.dll,FileProtocolHandler',
		page,
	]);
	expect(openerOf(page, 'linux')).toEqual(['xdg-open', page]);
});

test.each([
	[{DISPLAY: ':0'}, 'linux', true],
	[{WAYLAND_DISPLAY: 'w'}, 'linux', true],
	[{}, 'linux', false],
	[{}, 'darwin', true],
	[{}, 'win32', true],
	[{DISPLAY: ':0', SSH_CONNECTION: '1 2 3 4'}, 'linux', false],
	[{SSH_TTY: '/dev/pts/1'}, 'darwin', false],
] as const)('with %j on %s a browser can open: %s', (env, platform, can) => {
	expect(canOpenPages(env, platform)).toBe(can);
});

test('no shell reads the address, and the browser gets no key of the environment [15]', async () => {
	const {path, seen} = opener(0);
	const env = {PATH: path, DISPLAY: ':0', HOME: '/home/a', SERVICE_API_KEY: 'key-of-a', OPENAI_API_KEY: 'sk-1'};
	expect(await openPage(page, env, 'linux')).toBe(true);
	await expect.poll(() => seen().slice(0, 2)).toEqual(['1', page]);
	expect(seen()).toEqual(expect.arrayContaining(['DISPLAY=:0', 'HOME=/home/a']));
	expect(seen().join('\n')).not.toMatch(/key-of-a|sk-1/);
});

test.each(['file:///etc/passwd', 'javascript:alert(1)', '--help', '', 'https://'])(
	'%j is no page to open [16]',
	async address => {
		const {path, seen} = opener(0);
		expect(await openPage(address, {PATH: path}, 'linux')).toBe(false);
		expect(seen).toThrow();
	},
);

test('a missing or failing opener opens nothing', async () => {
	expect(await openPage(page, {PATH: temporaryFolder()}, 'linux')).toBe(false);
	expect(await openPage(page, {PATH: opener(3).path}, 'linux')).toBe(false);
});

test.skipIf(process.platform === 'win32')('an opener of the working folder is not run [15]', async () => {
	const {path, seen} = opener(0);
	const [folder = ''] = path.split(delimiter);
	const before = process.cwd();
	onTestFinished(() => process.chdir(before));
	process.chdir(folder);
	expect(await openPage(page, {PATH: `.${delimiter}${delimiter}/nowhere`}, 'linux')).toBe(false);
	expect(seen).toThrow('ENOENT');
});
