import {spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {JsonObject} from '../../../../src/core/json.ts';
import {brokenCart} from '../../../../src/server/tasks/examples/broken-cart.ts';
import type {Example} from '../../../../src/server/tasks/examples/example.ts';
import {webShop} from '../../../../src/server/tasks/examples/web-shop.ts';
import {renderInstruction} from '../../../../src/server/tasks/instruction.ts';
import {temporaryFolder} from '../../../storage/temporary.ts';
import {play} from './play.ts';

const id = '0b5e7a52-6f5e-4a43-9b43-1c1f6a3c2d10';
const url = 'http://127.0.0.1:4000/';

/** Returns the prompt that the app offers for a task. */
function promptOf({task}: Example, service: string): string {
	const {instruction} = task as {instruction: string};
	const services = {[service]: {url, port: 4000, protocol: 'http'}};
	const text = renderInstruction(instruction, {inputs: {shop_name: 'Corner shop'}, services});
	return `This is the task in the sandbox ${id}, whose log you can read:\n\n${text}`;
}

/** Names a call: fetches by method and path. */
function named({name, arguments: args}: {readonly name: string; readonly arguments: JsonObject}): string {
	return name === 'fetch_url' ? `${args['method'] ?? 'GET'} ${String(args['url']).replace(url, '/')}` : name;
}

test('the demo model repairs the broken cart, so that its real tests pass', async () => {
	const folder = temporaryFolder();
	const {files} = brokenCart;
	for (const [name, text] of Object.entries(files)) {
		writeFileSync(join(folder, name), text);
	}

	const {calls, text} = await play(promptOf(brokenCart, 'bench'), async call => {
		switch (named(call)) {
			case 'PUT /files/cart.mjs':
				writeFileSync(join(folder, 'cart.mjs'), String(call.arguments['body']));
				return 'HTTP 200\n\n{"bytes":480}';
			case 'POST /test': {
				const {NODE_TEST_CONTEXT: _, ...env} = process.env;
				const {status} = spawnSync(process.execPath, ['--test', 'cart.test.mjs'], {cwd: folder, env});
				return `HTTP 200\n\n{"passed": ${status === 0}}`;
			}
			default:
				return `HTTP 200\n\n${files[String(call.arguments['url']).split('/').at(-1) ?? ''] ?? ''}`;
		}
	});
	expect(calls.map(named)).toEqual([
		...['environment_logs', 'GET /files/cart.mjs', 'GET /files/cart.test.mjs'],
		...['PUT /files/cart.mjs', 'POST /test'],
	]);
	expect(text).toContain('The task is done');
});

const failed = '7\tTypeError: total of order 3 is NaN: no rate for GBP';

test.each([
	['finds the currency in the log', failed, ['environment_logs']],
	['waits for the first failing checkout', '[The log has no line that matches.]', ['environment_logs', 'wait_for_log']],
])('the demo model %s of the shop, confirms it and sends the diagnosis', async (_, log, first) => {
	const {calls, text} = await play(promptOf(webShop, 'web'), async call => {
		switch (named(call)) {
			case 'environment_logs':
				return log;
			case 'wait_for_log':
				return failed;
			case 'POST /checkout':
				return 'HTTP 500 Internal Server Error';
			default:
				return `HTTP 200\n\n{"right": ${String(call.arguments['body']).includes('"GBP"')}}`;
		}
	});
	expect(calls.map(named)).toEqual([...first, 'POST /checkout', 'POST /diagnosis']);
	expect(text).toContain('The task is done: checkouts in GBP fail');
});

test.each([
	[brokenCart, 'bench', 'PUT /files/cart.mjs'],
	[webShop, 'web', 'POST /checkout'],
])('the demo model stops once a request is refused', async (example, service, refused) => {
	const sources = Object.values(example.files).join('\n');
	const {calls, text} = await play(promptOf(example, service), async call =>
		named(call) === refused ? 'The user did not allow this.' : `${failed}\n${sources}`,
	);
	expect(calls.map(named).at(-1)).toBe(refused);
	expect(text).toMatch(/I’m stopping here: .* The tool said: `The user did not allow this\.`/);
});
