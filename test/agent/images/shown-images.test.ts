import {mkdtemp, readdir, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {attachImages, seesImages} from '../../../src/agent/images/model-images.ts';
import {estimateUsage} from '../../../src/agent/request-usage.ts';
import {runAgent} from '../../../src/agent/run.ts';
import {createReadFile} from '../../../src/agent/tools/read-file.ts';
import {toMessages} from '../../../src/core/session/read-conversation.ts';
import {createImageFolder} from '../../../src/storage/images/image-folder.ts';
import {call, collect, finish, runOptions, scriptedModel, text, transcriptOf} from '../scripted.ts';
import {makeWorkspace} from '../tools/workspace.ts';
import {chunk, png} from './image-samples.ts';

const shot = png(640, 480);

async function imageStore() {
	const root = await mkdtemp(join(tmpdir(), 'service-images-'));
	onTestFinished(() => rm(root, {recursive: true, force: true}));
	const folder = join(root, 'images');
	return {folder, images: createImageFolder(folder)};
}

async function readWith(file: Buffer, model: string, name = 'shot.txt') {
	const {workspace, stateFolder} = await makeWorkspace({[name]: file});
	const {folder, images} = await imageStore();
	const {ask, asked} = scriptedModel(
		[call('read_file', {path: name}), finish('tool-calls')],
		[text('Seen.'), finish('stop')],
	);
	const isSeen = (type: Parameters<typeof seesImages>[1]) => seesImages(model, type);
	const events = await collect(
		runAgent(
			runOptions({
				...{ask, model, workspace, tools: [createReadFile({stateFolder})]},
				...(seesImages(model) && {images: {save: images.save, isSeen}}),
			}),
		),
	);
	return {events, asked, folder, images, result: events.find(event => event.type === 'tool-result')};
}

test('an image is shown to the model, whatever its name, and stored under its hash in a private folder [10]', async () => {
	const {result, folder, asked} = await readWith(shot, 'anthropic/claude-sonnet-5');
	const [name = ''] = await readdir(folder);
	expect(result).toMatchObject({
		output: `[shot.txt: PNG, 640×480, ${shot.length < 1000 ? `${shot.length} B` : `${(shot.length / 1000).toFixed(1)} kB`}]`,
		failed: false,
		images: [{hash: name, type: 'image/png', width: 640, height: 480, bytes: shot.length}],
	});
	expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
	expect((await stat(folder)).mode & 0o777).toBe(0o700);
	expect(asked[1]?.at(-1)).toMatchObject({role: 'tool', images: [{hash: name}]});
});

test('a resumed session sends the image again, and says so if it is gone or was changed', async () => {
	const model = 'anthropic/claude-sonnet-5';
	const {events, images, folder} = await readWith(shot, model);
	const messages = toMessages(transcriptOf(events));
	const attached = await attachImages(messages, model, images);
	expect(attached).toContainEqual(
		expect.objectContaining({role: 'tool', images: [expect.objectContaining({data: shot.toString('base64')})]}),
	);
	const [name = ''] = await readdir(folder);
	await writeFile(join(folder, name), png(1, 1));
	const [without] = (await attachImages(messages, model, images)).filter(({role}) => role === 'tool');
	expect(without).toMatchObject({
		images: [],
		output: expect.stringContaining('[An image of this result is left out.]'),
	});
});

test('a model that sees no images is told what the image is, and gets none of an earlier model', async () => {
	const {result, folder, events, images} = await readWith(shot, 'deepseek/deepseek-v4-pro');
	expect(result).toMatchObject({output: expect.stringContaining('PNG, 640×480'), failed: false});
	expect(result).toMatchObject({output: expect.stringContaining("This model can't see images.")});
	await expect(readdir(folder)).rejects.toThrow('ENOENT');
	expect(JSON.stringify(events)).not.toContain('"images"');
	const seen = await readWith(shot, 'anthropic/claude-sonnet-5');
	const messages = toMessages(transcriptOf(seen.events));
	expect(JSON.stringify(await attachImages(messages, 'deepseek/deepseek-v4-pro', images))).not.toContain('"data"');
});

test('only the newest images are sent, up to twenty', async () => {
	const {images} = await imageStore();
	const hash = await images.save(shot);
	const image = {hash, type: 'image/png' as const, width: 640, height: 480, bytes: shot.length};
	const messages = Array.from({length: 30}, (_, index) => ({
		...{role: 'tool' as const, callId: `c${index}`, name: 'read_file', output: '', failed: false},
		images: [{...image}],
	}));
	const sent = await attachImages(messages, 'openai/gpt-6-sol', images);
	expect(sent.map(message => (message.role === 'tool' ? message.images?.length : 0))).toEqual([
		...Array.from({length: 10}, () => 0),
		...Array.from({length: 20}, () => 1),
	]);
});

test.each([
	['a size that no vendor takes', png(1, 1, [50_000, 50_000]), '“a.png” is too large to show: PNG, 50000×50000'],
	[
		'more bytes than vendors take',
		Buffer.concat([png().subarray(0, 33), chunk('teXt', Buffer.alloc(4_000_000)), png().subarray(33)]),
		'too large to show',
	],
	['a missing end', shot.subarray(0, -4), '“a.png” begins as an image'],
	['no pixels', png(1, 1, [0, 0]), 'is damaged'],
])('an image with %s is refused', async (_, bytes, message) => {
	const {result} = await readWith(bytes, 'anthropic/claude-sonnet-5', 'a.png');
	expect(result).toMatchObject({failed: true, output: expect.stringContaining(message)});
});

test.each([
	['anthropic/claude-sonnet-5', true],
	['openai/gpt-6-sol', true],
	['openai/o3-mini', false],
	['openai/gpt-3.5-turbo', false],
	['google/gemini-3.8-flash', true],
	['mistral/codestral-latest', false],
	['mistral/mistral-medium-latest', true],
	['groq/meta-llama/llama-4-scout', true],
	['groq/openai/gpt-oss-120b', false],
	['openrouter/anthropic/claude-sonnet-5', true],
	['ollama/qwen2.5-vl:7b', true],
	['ollama/llama3.2', false],
	['custom/demo', false],
])('%s sees images: %s', (model, expected) => {
	expect(seesImages(model)).toBe(expected);
});

test('images count in an estimate of usage, by their pixels', () => {
	const image = {hash: 'x', type: 'image/png' as const, width: 4000, height: 4000, bytes: 1};
	const message = {role: 'tool' as const, callId: 'c', name: 'read_file', output: '', failed: false};
	const answer = [{type: 'text' as const, text: 'Hello there'}];
	const inputOf = (images: readonly (typeof image)[]) =>
		estimateUsage({messages: [{...message, images}], tools: []}, answer, undefined)?.input ?? 0;
	expect(inputOf([image]) - inputOf([])).toBe(1600);
	expect(inputOf([{...image, width: 75, height: 10}]) - inputOf([])).toBe(1);
});
