import type {Example} from './example.ts';

const server = `// A small shop with visitors of its own. It logs requests as logfmt and its own work as JSON.
import {readFileSync} from 'node:fs';
import {createServer, request} from 'node:http';

const {inputs} = JSON.parse(readFileSync('.task.json', 'utf8'));
const port = Number(process.env.PORT);
const products = new Map([
	['mug', {name: 'Mug', cents: 1250, stock: 40}],
	['lamp', {name: 'Lamp', cents: 4900, stock: 7}],
	['tea', {name: 'Tea, 100 g', cents: 680, stock: 250}],
]);
const rates = {EUR: 1, USD: 1.08, CHF: 0.96};
const orders = [];
let requests = 0;

const work = (level, msg, fields) => console.log(JSON.stringify({time: new Date().toISOString(), level, msg, ...fields}));
const field = ([name, value]) => name + '=' + (/^[\\w./:-]+$/.test(value) ? value : JSON.stringify(String(value)));
const line = fields => console.log(Object.entries(fields).map(field).join(' '));

function checkout({product, quantity = 1, currency = 'EUR'}) {
	const found = products.get(product);
	if (!found) throw Object.assign(new Error('no such product'), {status: 404});
	if (quantity > found.stock) throw Object.assign(new Error('not enough in stock'), {status: 409});
	const total = (found.cents * quantity * rates[currency]) / 100;
	const order = {id: orders.length + 1, product, quantity, currency, total: Number(total.toFixed(2))};
	if (Number.isNaN(order.total)) throw new TypeError('total of order ' + order.id + ' is NaN: no rate for ' + currency);
	found.stock -= quantity;
	orders.push(order);
	return order;
}

function answer(method, path, body) {
	if (method === 'GET' && path === '/') return {shop: inputs.shop_name, products: [...products.keys()], orders: orders.length};
	if (method === 'GET' && path === '/healthz') return {status: 'ok'};
	if (method === 'GET' && path === '/products') return Object.fromEntries(products);
	if (method === 'GET' && path === '/orders') return orders.slice(-20);
	if (method === 'POST' && path === '/checkout') return checkout(JSON.parse(body));
	if (method === 'POST' && path === '/diagnosis') {
		const right = String(JSON.parse(body).currency).toUpperCase() === 'GBP';
		work(right ? 'info' : 'warn', right ? 'diagnosis is right' : 'diagnosis is wrong');
		return {right};
	}
	throw Object.assign(new Error('nothing here'), {status: 404});
}

createServer(async (incoming, outgoing) => {
	const started = performance.now();
	let body = '';
	let status = 200;
	let result;
	try {
		for await (const chunk of incoming) body = (body + chunk).slice(0, 65536);
		result = answer(incoming.method, new URL(incoming.url, 'http://shop').pathname, body);
	} catch (error) {
		status = error instanceof SyntaxError ? 400 : error.status ?? 500;
		result = {error: status === 500 ? 'something went wrong' : error.message};
		if (status === 500) console.error(error.stack);
	}
	outgoing.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(result) + '\\n');
	requests += 1;
	const level = status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info';
	const duration = (performance.now() - started).toFixed(1) + 'ms';
	const agent = incoming.headers['user-agent'] ?? '-';
	line({ts: new Date().toISOString(), level, msg: 'request', method: incoming.method, path: incoming.url, status, duration, agent});
}).listen(port, '127.0.0.1', () => work('info', 'shop is open', {shop: inputs.shop_name, port}));

const pick = list => list[Math.floor(Math.random() * list.length)];

function visit() {
	const buys = Math.random() < 0.4;
	const body = JSON.stringify({product: pick([...products.keys()]), quantity: 1 + Math.floor(Math.random() * 3), currency: pick(['EUR', 'EUR', 'USD', 'CHF', 'GBP'])});
	const path = buys ? '/checkout' : pick(['/', '/products', '/products', '/orders', '/favicon.ico']);
	const outgoing = request({port, path, method: buys ? 'POST' : 'GET', headers: {'user-agent': 'visitor'}}, response => response.resume());
	outgoing.on('error', () => {});
	outgoing.end(buys ? body : undefined);
}

function restock() {
	for (const [id, product] of products) {
		if (product.stock < 10) {
			work('warn', 'stock is low', {product: id, stock: product.stock});
			product.stock += 50;
			work('info', 'restocked', {product: id, stock: product.stock});
		}
	}
	work('debug', 'housekeeping', {requests, orders: orders.length, rss_mb: Math.round(process.memoryUsage().rss / 1048576)});
}

if (inputs.visits_per_minute > 0) setInterval(visit, 60000 / inputs.visits_per_minute);
setInterval(restock, 5000);
process.on('SIGTERM', () => {
	work('info', 'shop is closed', {orders: orders.length});
	process.exit(0);
});
`;

/** A web service with a busy log that explains what goes wrong in it. */
export const webShop: Example = {
	task: {
		name: 'web-shop',
		version: '1.0.0',
		public: true,
		description: 'A small web shop with visitors. Some of its checkouts fail; its log says why.',
		inputs: {
			shop_name: {type: 'string', default: 'Corner shop', description: 'What the shop is called'},
			visits_per_minute: {
				type: 'integer',
				default: 60,
				minimum: 0,
				maximum: 60_000,
				description: 'How many requests its own visitors send',
			},
		},
		instruction: [
			'The shop “{{inputs.shop_name}}” answers at {{services.web.url}} (`GET /products`, `POST /checkout` with',
			'`{"product", "quantity", "currency"}`). Some checkouts fail with status 500. Find out from the log of this',
			'environment and by requests of your own in which currency, then send `{"currency": "…"}` as a POST to',
			'{{services.web.url}}diagnosis: it answers `{"right": true}` when you are right.',
		].join(' '),
		command: ['node', 'server.mjs'],
		services: {web: {}},
		timeout_sec: 3600,
		verification: {kind: 'http', service: 'web', method: 'POST', path: '/diagnosis', expect: {right: true}},
	},
	files: {'server.mjs': server},
};
