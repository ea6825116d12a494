import type {IntendedCall} from '../intent.ts';
import {sandboxIn} from './sandbox-work.ts';
import {continueWith, finish, resultsOf, stopAt, type Work} from './steps.ts';

/** Seconds to wait for a visitor who pays in the currency without a rate. */
const waitSeconds = 60;

/** Finds the faulty currency of the task `web-shop` in its log, confirms it with a request, and sends the diagnosis. */
export const diagnoseShop: Work = (prompt, results) => {
	const [, shop] = /\bPOST to\s+(https?:\/\/\S+?\/)diagnosis\b/.exec(prompt) ?? [];
	const environment = sandboxIn(prompt);
	if (!shop || !environment) {
		return undefined;
	}

	const [read] = resultsOf(results, 'environment_logs');
	if (!read) {
		return continueWith('Let me look for errors in the log.', {
			name: 'environment_logs',
			arguments: {environment, lines: 20, pattern: 'no rate for'},
		});
	}

	const [waited] = resultsOf(results, 'wait_for_log');
	const currency = /\bno rate for ([A-Z]{3})\b/.exec(`${read.output}\n${waited?.output ?? ''}`)?.[1];
	if (currency === undefined) {
		return waited
			? stopAt(waited, 'no checkout has failed yet')
			: continueWith('No checkout has failed so far. Waiting for one.', {
					name: 'wait_for_log',
					arguments: {environment, pattern: 'no rate for [A-Z]{3}', timeout_seconds: waitSeconds},
				});
	}

	const [checkout, diagnosis] = resultsOf(results, 'fetch_url');
	if (!checkout) {
		return continueWith(
			`There is no rate for ${currency}. Let me confirm that with a checkout of my own.`,
			post(`${shop}checkout`, {product: 'tea', quantity: 1, currency}),
		);
	}

	if (!/\b500\b/.test(checkout.output)) {
		return stopAt(checkout, 'my own checkout didn’t fail with status 500');
	}

	if (!diagnosis) {
		return continueWith('It fails with status 500. Sending the diagnosis.', post(`${shop}diagnosis`, {currency}));
	}

	return /"right":\s*true/.test(diagnosis.output)
		? finish(`The task is done: checkouts in ${currency} fail, because the shop has no rate for that currency.`)
		: stopAt(diagnosis, 'the diagnosis is wrong');
};

function post(url: string, body: object): IntendedCall {
	return {
		name: 'fetch_url',
		arguments: {url, method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify(body)},
	};
}
