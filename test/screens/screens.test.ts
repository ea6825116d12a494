import {expect, test} from 'vitest';
import {quit, waitForIdle} from '../e2e/chat.ts';
import {folderWith} from '../e2e/program.ts';
import {startTerminal, type TestTerminal} from '../e2e/terminal.ts';
import {withFixedValues} from './fixed-values.ts';
import {windowRuns} from './runs.ts';
import {renderSvg} from './svg.ts';

const columns = 96;
const rows = 31;

const checkout = `import {products} from './products.ts';

const rates = {EUR: 1, USD: 1.08, CHF: 0.96};

export function total(product: string, quantity: number, currency: string) {
	return products[product].price * quantity * rates[currency];
}
`;

type Request = readonly [method: 'GET' | 'POST', path: string, body?: object];

const failing: Request = ['POST', 'checkout', {product: 'tea', currency: 'GBP'}];
const requests: readonly Request[] = [
	failing,
	['GET', 'products'],
	['POST', 'checkout', {product: 'mug', currency: 'EUR'}],
	['GET', 'favicon.ico'],
	['GET', 'orders'],
	['POST', 'checkout', {product: 'tea', currency: 'USD'}],
];

async function send(shop: string, [method, path, body]: Request): Promise<void> {
	const response = await fetch(shop + path, {
		method,
		headers: {'user-agent': 'visitor'},
		...(body && {body: JSON.stringify(body)}),
	});
	await response.text();
}

const logged = [
	'error request method=POST path=/checkout status=500',
	'info  request method=GET path=/products status=200',
	'info  request method=POST path=/checkout status=200',
	'warn  request method=GET path=/favicon.ico status=404',
	'info  request method=GET path=/orders status=200',
	'info  request method=POST path=/checkout status=200',
];

/** Returns the number of lines that the log panel has received, and whether it shows exactly the requests above. */
function logPanel(terminal: TestTerminal) {
	const screen = terminal.screen();
	const title = screen.findIndex(line => line.startsWith('┄┄ web-shop '));
	const lines = screen.slice(title + 1, title + 1 + logged.length);
	return {
		count: Number(/ (\d+) lines/.exec(screen[title] ?? '')?.[1]),
		isExpected: lines.every((line, index) => line.includes(` ${logged[index]} `)),
	};
}

/** Sends the requests until the log panel shows nothing else: the shop also logs a line of its own every 5 s. */
async function fillLog(terminal: TestTerminal, shop: string): Promise<void> {
	for (let attempt = 0; attempt < 20 && !logPanel(terminal).isExpected; attempt++) {
		const {count} = logPanel(terminal);
		for (const request of requests) {
			await send(shop, request);
		}

		await terminal.waitFor(() => logPanel(terminal).isExpected || logPanel(terminal).count > count + 10);
	}
}

test('the picture of the README shows the program as it is: npm run screens', async () => {
	const terminal = startTerminal({columns, rows, folder: folderWith({'checkout.ts': checkout})});
	await waitForIdle(terminal);
	// The shop has no visitors but the test.
	terminal.type('/env create web-shop --input visits_per_minute:=0\r');
	await terminal.waitFor('task of web-shop', 30_000);
	const [shop = ''] = /http:\/\/127\.0\.0\.1:\d+\//.exec(terminal.text()) ?? [];

	terminal.type('search for rates\r');
	await terminal.waitFor('I found');
	await waitForIdle(terminal);
	terminal.type('/watch level>=error --every 1m\r');
	await terminal.waitFor(/Watching \S+ for level>=error/);
	// A watch reports what comes after its first look at the log; two of the shop's own lines are 5 s apart.
	const {count} = logPanel(terminal);
	await terminal.waitFor(() => logPanel(terminal).count >= count + 2, 30_000);
	await send(shop, failing);
	await terminal.waitFor('Watch 1: a line matches', 30_000);
	await fillLog(terminal, shop);
	expect(logPanel(terminal).isExpected).toBe(true);

	const picture = renderSvg({
		title: 'service',
		description: 'The agent answers a search, a watch reports an error, and the log of a sandbox streams below',
		columns,
		rows: windowRuns(terminal.emulator).map(withFixedValues(columns)),
		cursor: terminal.cursor(),
	});
	await quit(terminal);
	await expect(picture).toMatchFileSnapshot('service.svg');
});
