import {chmodSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {expect, test} from 'vitest';
import {readClipboardImage} from '../../../src/terminal/clipboard-image.ts';
import {mentionsOfDragged} from '../../../src/ui/prompt/paste-image.ts';
import {png} from '../../agent/images/image-samples.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {realApp} from './real-app.ts';

test('the paths of dragged images become mentions, however the terminal writes them', () => {
	const folder = temporaryFolder();
	const [plain, spaced, text] = ['a.png', 'b c.png', 'text.png'].map(name => join(folder, name));
	writeFileSync(plain ?? '', png());
	writeFileSync(spaced ?? '', png());
	writeFileSync(text ?? '', 'no image');
	const quoted = `@${JSON.stringify(spaced)} `;
	expect(mentionsOfDragged(`${plain} `)).toBe(`@${plain} `);
	expect(mentionsOfDragged(`'${spaced}'`)).toBe(quoted);
	expect(mentionsOfDragged(spaced?.replace(' ', '\\ ') ?? '')).toBe(quoted);
	expect(mentionsOfDragged(spaced ?? '')).toBe(quoted);
	expect(mentionsOfDragged(pathToFileURL(spaced ?? '').href)).toBe(quoted);
	expect(mentionsOfDragged(`${plain} '${spaced}'`)).toBe(`@${plain} ${quoted}`);
	for (const other of [
		text ?? '',
		'/nowhere/a.png',
		`${plain} and more`,
		'a.png',
		`${plain}\n`.repeat(2),
		'/dev/zero',
		'',
	]) {
		expect(mentionsOfDragged(other)).toBeUndefined();
	}
});

/** A folder of programs, one of which prints what it is given. */
function programs(name: string, script: string): string {
	const folder = join(temporaryFolder(), 'bin');
	mkdirSync(folder);
	writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
	chmodSync(join(folder, name), 0o755);
	return `${folder}:/usr/bin:/bin`;
}

test('the clipboard is read with the first program that is there', async () => {
	const image = join(temporaryFolder(), 'x.png');
	writeFileSync(image, png());
	const wayland = {WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0'};
	expect(await readClipboardImage({...wayland, PATH: programs('wl-paste', `cat ${image}`)}, 'linux')).toEqual({
		bytes: png(),
	});
	expect(await readClipboardImage({...wayland, PATH: programs('wl-paste', 'exit 1')}, 'linux')).toBe('none');
	expect(await readClipboardImage({PATH: '/nowhere'}, 'linux')).toBe('no program');
	expect(await readClipboardImage({DISPLAY: ':0', PATH: '/nowhere'}, 'linux')).toBe('no program');
	const hex = png().toString('hex').toUpperCase();
	const mac = {PATH: programs('osascript', `echo '«data PNGf${hex}»'`)};
	expect(await readClipboardImage(mac, 'darwin')).toEqual({bytes: png()});
});

test('an image that is copied as another type is read as one that models read; any other is named', async () => {
	const reader = (types: string) => `case "$*" in
*--list-types*) printf '${types}' ;;
*'--type image/webp') printf 'webp' ;;
*) exit 1 ;;
esac`;
	const read = (script: string) =>
		readClipboardImage({WAYLAND_DISPLAY: 'wayland-0', PATH: programs('wl-paste', script)}, 'linux');
	expect(await read(reader('text/html\\nimage/bmp\\nimage/webp\\n'))).toEqual({bytes: Buffer.from('webp')});
	expect(await read(reader('image/bmp\\nimage/tiff\\n'))).toEqual({type: 'image/bmp'});
	expect(await read(reader('text/plain\\nimage/\\033]0;x\\n'))).toBe('none');
	expect(await read('yes')).toBe('too large');
});

test.each([
	['printf GIF9', '✗ The image in the clipboard is no PNG, JPEG, GIF or WebP.'],
	["printf '\\211PNG\\r\\n\\032\\n'", '✗ The image in the clipboard is damaged.'],
	['exit 1', 'There is no image in the clipboard.'],
	['case "$*" in *TARGETS*) echo image/tiff;; *) exit 1;; esac', "Models don't read image/tiff. Save it as PNG"],
])('an empty paste reads the clipboard, too; with a reader that does %j nothing is inserted', async (script, said) => {
	const {type, waitFor, store} = await realApp({env: {DISPLAY: ':0', PATH: programs('xclip', script)}});
	await waitFor('❯');
	type('\u001b[200~\u001b[201~');
	await waitFor(said);
	expect(store.getState().composer.text).toBe('');
});

test('Ctrl+V inserts the image in the clipboard; a model that sees none gets nothing, and the message stays', async () => {
	const image = join(temporaryFolder(), 'x.png');
	writeFileSync(image, png(40, 30));
	const env = {DISPLAY: ':0', PATH: programs('xclip', `cat ${image}`)};
	const {type, waitFor, store, host, lastMessages} = await realApp({model: 'custom/alpha', env});
	await waitFor('custom/alpha');
	type('what is ');
	type('\u0016');
	await waitFor('❯ what is [Image 40x30]');
	type('\r');
	await waitFor("✗ custom/alpha can't read images: the pasted image.");
	expect(host.received.filter(({path}) => path.endsWith('/chat/completions'))).toEqual([]);
	expect(store.getState().composer.text).toContain('what is @image:');
	store.getState().setModel('custom/gpt-5');
	type('\r');
	await waitFor('Understood.');
	await waitFor('❯ what is [Image]');
	await waitFor('└ pasted image, 40×30 · about');
	expect(lastMessages().at(-1)?.content).toMatchObject([
		{type: 'text', text: expect.stringContaining('[The user attached a pasted image, 40×30.]')},
		{type: 'image_url', image_url: {url: `data:image/png;base64,${png(40, 30).toString('base64')}`}},
	]);
});
