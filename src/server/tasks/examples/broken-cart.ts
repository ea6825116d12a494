import type {Example} from './example.ts';

const cart = `/** The price of a cart in cents: lines of {cents, quantity}, and a discount in percent on all of it. */
export function priceOf(lines, discount = 0) {
	let sum = 0;
	for (let index = 1; index < lines.length; index += 1) {
		sum += lines[index].cents * lines[index].quantity;
	}
	return sum - sum * discount;
}

/** Returns the cart with one more of a product, without changing the cart itself. */
export function add(lines, line) {
	lines.push({...line, quantity: 1});
	return lines;
}
`;

const tests = `import assert from 'node:assert/strict';
import {test} from 'node:test';
import {add, priceOf} from './cart.mjs';

const mug = {product: 'mug', cents: 1250};
const tea = {product: 'tea', cents: 680};

test('an empty cart costs nothing', () => assert.equal(priceOf([]), 0));

test('every line counts, as often as its quantity says', () => {
	assert.equal(priceOf([{...mug, quantity: 2}, {...tea, quantity: 1}]), 3180);
});

test('a discount is in percent, and the price a whole number of cents', () => {
	assert.equal(priceOf([{...mug, quantity: 1}], 10), 1125);
	assert.equal(priceOf([{...tea, quantity: 1}], 33), 456);
});

test('what is added twice is one line with a quantity of two', () => {
	assert.deepEqual(add(add([], mug), mug), [{...mug, quantity: 2}]);
});

test('adding leaves the cart that it was given alone', () => {
	const before = [];
	add(before, mug);
	assert.deepEqual(before, []);
});
`;

const bench = `// Hands out cart.mjs, takes a new one, and runs its tests.
import {spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';

const readable = new Set(['cart.mjs', 'cart.test.mjs']);
const log = (level, message) => console.log(new Date().toISOString() + ' [' + level + '] ' + message);

function runTests() {
	return new Promise(resolve => {
		const child = spawn(process.execPath, ['--test', '--test-reporter=spec', 'cart.test.mjs'], {stdio: ['ignore', 'pipe', 'pipe']});
		const timer = setTimeout(() => child.kill('SIGKILL'), 20000);
		let output = '';
		const take = chunk => {
			output = (output + chunk).slice(-65536);
			process.stdout.write(chunk);
		};
		child.stdout.on('data', take);
		child.stderr.on('data', take);
		child.on('close', status => {
			clearTimeout(timer);
			log(status === 0 ? 'INFO' : 'ERROR', status === 0 ? 'all tests pass' : 'tests fail');
			resolve({passed: status === 0, output});
		});
	});
}

createServer(async (incoming, outgoing) => {
	const reply = (status, body, type = 'application/json') => outgoing.writeHead(status, {'content-type': type}).end(body);
	let body = '';
	for await (const chunk of incoming) body = (body + chunk).slice(0, 65536);
	const name = incoming.url.replace('/files/', '');
	log('INFO', incoming.method + ' ' + incoming.url);
	if (incoming.method === 'POST' && incoming.url === '/test') {
		reply(200, JSON.stringify(await runTests()));
	} else if (incoming.method === 'GET' && readable.has(name)) {
		reply(200, readFileSync(name, 'utf8'), 'text/javascript');
	} else if (incoming.method === 'PUT' && name === 'cart.mjs') {
		writeFileSync(name, body);
		reply(200, JSON.stringify({bytes: Buffer.byteLength(body)}));
	} else {
		log('WARNING', 'nothing at ' + incoming.url);
		reply(404, JSON.stringify({error: 'nothing here', files: [...readable]}));
	}
}).listen(Number(process.env.PORT), '127.0.0.1', () => {
	log('INFO', 'bench is ready');
	runTests();
});
`;

/** A module whose tests fail, to be repaired through a service. */
export const brokenCart: Example = {
	task: {
		name: 'broken-cart',
		version: '1.0.0',
		public: true,
		description: 'A module with four faults and the tests that show them.',
		instruction: [
			'`cart.mjs` fails its tests. Read it and them at {{services.bench.url}}files/cart.mjs and',
			'{{services.bench.url}}files/cart.test.mjs, send a repaired module with `PUT {{services.bench.url}}files/cart.mjs`,',
			'and run the tests with `POST {{services.bench.url}}test` until it answers `"passed": true`.',
		].join(' '),
		command: ['node', 'bench.mjs'],
		services: {bench: {}},
		timeout_sec: 3600,
		verification: {kind: 'http', service: 'bench', method: 'POST', path: '/test', expect: {passed: true}},
	},
	files: {'bench.mjs': bench, 'cart.mjs': cart, 'cart.test.mjs': tests},
};
