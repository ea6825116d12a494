import {join} from 'node:path';
import {expect, test} from 'vitest';
import {seesImages} from '../../../src/agent/images/model-images.ts';
import {readPdf} from '../../../src/agent/images/read-image.ts';
import {checkMedia, createImageSource, keepPasted} from '../../../src/agent/mentions/image-source.ts';
import {readMentions} from '../../../src/agent/mentions/read-mentions.ts';
import {createFolderTools} from '../../../src/agent/tools/tools.ts';
import type {ImageType} from '../../../src/core/session/event.ts';
import {createImageFolder} from '../../../src/storage/images/image-folder.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {jpeg, png} from '../images/image-samples.ts';
import {write} from '../project/repository.ts';

const pdf = (pages = 2) =>
	Buffer.from(`%PDF-1.7\n${'<< /Type /Page >>\n'.repeat(pages)}<< /Type /Pages >>\ntrailer\n%%EOF\n`);

type Seeing = {
	readonly isSeen: (type: ImageType) => boolean;
	readonly images: ReturnType<typeof createImageFolder>;
};

/** Reads a message in a folder with files, for a model that sees everything or what `isSeen` returns. */
async function read(
	text: string,
	files: Parameters<typeof write>[1],
	{isSeen = () => true, images = createImageFolder(join(temporaryFolder(), 'images'))}: Partial<Seeing> = {},
) {
	const folder = temporaryFolder();
	write(folder, files);
	const context = {
		...{workspace: folder, signal: new AbortController().signal, readFiles: new Map<string, string>()},
		approve: async () => ({allowed: true}) as const,
		onOutput: () => undefined,
		onChange: () => undefined,
	};
	const tools = createFolderTools({stateFolder: join(folder, 'none')});
	const sources = [createImageSource(images)];
	const reading = {
		tools,
		context,
		sources,
		hide: (each: string) => each,
		logs: () => [],
		images: {...images, isSeen},
	};
	const found = [];
	for await (const each of readMentions(text, reading)) {
		found.push(each);
	}

	return {found, images};
}

test('images and PDFs are attached by their content, whatever their names', async () => {
	const {found, images} = await read('@shot.txt @doc.bin @photo', {
		'shot.txt': png(4, 3),
		'doc.bin': pdf(),
		photo: jpeg,
	});
	expect(found).toMatchObject([
		{source: 'image', name: 'shot.txt', text: expect.stringMatching(/^\[The user attached shot.txt: PNG, 4×3, /)},
		{
			source: 'image',
			text: expect.stringMatching(/^\[The user attached doc.bin: PDF, 2 pages, /),
			tokens: expect.any(Number),
		},
		{source: 'image', images: [{type: 'image/jpeg'}]},
	]);
	const [shot] = found;
	const hash = shot && 'images' in shot ? shot.images?.[0]?.hash : undefined;
	expect(await images.load(hash ?? '')).toEqual(png(4, 3));
});

test('what the model of the run cannot read is not attached, and the model is told', async () => {
	const images = createImageFolder(join(temporaryFolder(), 'images'));
	const {mention} = await keepPasted(png(40, 30), images);
	const files = {'shot.txt': png(4, 3), 'doc.pdf': pdf()};
	const refused = (typed: string, what: string) => ({
		source: 'none',
		text: `[${typed} is not attached: This model can't read ${what}.]`,
	});
	const blind = await read(`@shot.txt @doc.pdf ${mention}`, files, {images, isSeen: () => false});
	expect(blind.found).toMatchObject([
		refused('@shot.txt', 'images'),
		refused('@doc.pdf', 'PDFs'),
		refused(mention, 'images'),
	]);
	const seesPng = await read(`@doc.pdf ${mention}`, files, {images, isSeen: type => type === 'image/png'});
	expect(seesPng.found).toMatchObject([refused('@doc.pdf', 'PDFs'), {source: 'image'}]);
});

test('lines of an image or a PDF are refused in words, and the model sees nothing of it', async () => {
	const images = createImageFolder(join(temporaryFolder(), 'images'));
	const {mention} = await keepPasted(png(40, 30), images);
	const {found} = await read(`@a.png:3 @doc.pdf:1-2 ${mention}:1`, {'a.png': png(4, 3), 'doc.pdf': pdf()}, {images});
	expect(found).toMatchObject([
		{
			source: 'none',
			text: '[@a.png:3 is not attached: An image has no numbered lines. Mention it without “:3”.]',
		},
		{source: 'none', text: expect.stringContaining('A PDF has no numbered lines. Mention it without “:1-2”.')},
		{source: 'none', text: expect.stringContaining('An image has no numbered lines.')},
	]);
	expect(JSON.stringify(found)).not.toContain('hash');
});

test('lying types, damaged and huge files are refused, and the model is told', async () => {
	const {found} = await read('@lie.png @cut.png @cut.pdf @big.pdf @wide.png @huge.png', {
		'lie.png': 'this is text',
		'cut.png': png().subarray(0, 40),
		'cut.pdf': pdf().subarray(0, 30),
		'big.pdf': Buffer.concat([pdf(), Buffer.alloc(8_000_001), Buffer.from('%%EOF')]),
		'wide.png': png(1, 1, [9000, 1]),
		'huge.png': Buffer.concat([png(), Buffer.alloc(17 * 1024 * 1024)]),
	});
	expect(found.map(each => ('source' in each ? each.source : each))).toEqual(['file', ...Array(5).fill('none')]);
	expect(found.map(each => ('text' in each ? each.text : '')).join('\n')).toMatch(
		/damaged.*\n.*PDF.*damaged.*\n.*too large.*\n.*too large.*\n.*too large/,
	);
});

test('a PDF needs its end, and its pages are counted', () => {
	expect(readPdf(pdf(3))).toMatchObject({type: 'application/pdf', pages: 3});
	expect(readPdf(Buffer.from('%PDF-1.4'))).toBe('damaged');
	expect(readPdf(Buffer.from('a %PDF-1.4'))).toBeUndefined();
});

test.each([
	['anthropic/claude-sonnet-4-5', true],
	['anthropic/claude-3-opus-latest', false],
	['openai/gpt-5', true],
	['google/gemini-2.5-pro', true],
	['groq/meta-llama/llama-4-scout', false],
	['custom/gpt-5', false],
])('%s reads PDFs: %s', (model, reads) => {
	expect(seesImages(model, 'application/pdf')).toBe(reads);
});

test('a message with what the model cannot read is refused before it is sent, by content', async () => {
	const folder = temporaryFolder();
	write(folder, {'shot.txt': png(), 'text.png': 'text', 'a b.pdf': pdf()});
	const check = (message: string, model: string | undefined) =>
		checkMedia(message, {model, folder, homeFolder: folder});
	await expect(check('see @shot.txt', 'custom/alpha')).rejects.toThrow("custom/alpha can't read images: shot.txt.");
	await expect(check('see @"a b.pdf"', 'custom/gpt-5')).rejects.toThrow("custom/gpt-5 can't read PDFs: a b.pdf.");
	await expect(check(`see @image:${'0'.repeat(64)}`, 'custom/alpha')).rejects.toThrow('the pasted image');
	await check('see @shot.txt @~/shot.txt', 'openai/gpt-5');
	await check('see @text.png @gone.png @. @/dev/zero', 'custom/alpha');
	await check('see @shot.txt', undefined);
});

test('a pasted image is kept under its hash, and a damaged one is not', async () => {
	const images = createImageFolder(join(temporaryFolder(), 'images'));
	const {mention, label} = await keepPasted(png(40, 30), images);
	expect([mention.replace(/[\da-f]{64}/, 'hash'), label]).toEqual(['@image:hash', '[Image 40x30]']);
	const context = {} as Parameters<ReturnType<typeof createImageSource>['read']>[1];
	expect(await createImageSource(images).read(mention.slice(1), context)).toMatchObject({
		images: [{type: 'image/png', width: 40, height: 30}],
	});
	await expect(createImageSource(images).read(`image:${'0'.repeat(64)}`, context)).rejects.toThrow('is gone');
	await expect(keepPasted(Buffer.from('text'), images)).rejects.toThrow('is no PNG');
	await expect(keepPasted(png(1, 1, [9000, 1]), images)).rejects.toThrow('too large');
});
