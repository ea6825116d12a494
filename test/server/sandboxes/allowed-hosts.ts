import {type AddressInfo, createServer} from 'node:net';
import {expect, onTestFinished} from 'vitest';
import type {SandboxProvider, SandboxSpec} from '../../../src/server/sandboxes/provider.ts';
import {eventually} from './sandbox.ts';

/** Asks the proxy for two hosts, and connects to the first without it. */
const program = `
const {request} = require('node:http');
const {connect} = require('node:net');
const {hostname: host, port} = new URL(process.env.HTTPS_PROXY);
const [step, good, bad] = process.argv.slice(1);
const tunnel = path => new Promise(done => {
	request({host, port, method: 'CONNECT', path}).on('connect', ({statusCode}, socket) => {
		let text = '';
		socket.on('data', data => { text += data; }).on('error', () => {}).on('close', () => done(statusCode + ' ' + text)).end('hello');
	}).on('error', error => done(error.code)).end();
});
const direct = address => new Promise(done => {
	const [host, port] = address.split(':');
	connect(Number(port), host).on('connect', () => done('open')).on('error', error => done(error.code));
});
const {log} = console;
(async () => {
	log(step, 'allowed', await tunnel(good));
	log(step, 'refused', (await tunnel(bad)).slice(0, 3));
	log(step, 'direct', await direct(good), await direct('198.51.100.1:80'));
	process.exit();
})();`;

type Sandboxes = {
	readonly provider: SandboxProvider;
	readonly start: (command: readonly string[], spec: Partial<SandboxSpec>) => Promise<string>;
	readonly log: (id: string) => Promise<string>;
};

/** What the operator opens so that a host of this test is outside. */
export const openedLoopback: readonly string[] = ['127.0.0.1/32'];

/**
 * Checks that a sandbox reaches a host that its task allows, in each step, and no other one, which is a line of its log; and
 * that nothing leads past the proxy.
 */
export async function checkAllowedHosts({provider, start, log}: Sandboxes): Promise<void> {
	const outside = createServer({allowHalfOpen: true}, socket => {
		let bytes = 0;
		socket.on('data', part => {
			bytes += part.length;
		});
		socket.on('end', () => socket.end(`got ${bytes}`)).on('error', () => socket.destroy());
	});
	await new Promise<void>(resolve => outside.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void outside.close());
	const good = `127.0.0.1:${(outside.address() as AddressInfo).port}`;
	const words = (step: string) => ['node', '-e', program, step, good, 'evil.example:443'];
	const id = await start(words('command'), {
		build: [{name: 'build step 1', command: words('build')}],
		network: {allow: [good]},
		environment: {HTTPS_PROXY: 'http://127.0.0.1:1'},
	});
	await eventually(async () => (await provider.inspect(id)).kind === 'ended');
	const lines = (await log(id)).split('\n');
	expect(lines.filter(line => /^(?:build|command) /.test(line))).toEqual([
		...['build allowed 200 got 5', 'build refused 403', 'build direct ECONNREFUSED ENETUNREACH'],
		...['command allowed 200 got 5', 'command refused 403', 'command direct ECONNREFUSED ENETUNREACH'],
	]);
	// The proxy writes beside the program.
	expect(lines.filter(line => line.startsWith('[network]'))).toEqual([
		'[network] refused: evil.example:443 (not in `allow` of the task)',
	]);
	expect((await log(id)).split('\n')[0]).toContain(`only ${good}`);
}
