import {mkdirSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {expect, test} from 'vitest';
import {createIdentity} from '../../../../src/server/sandboxes/kubernetes/cluster-credentials.ts';
import {findCluster} from '../../../../src/server/sandboxes/kubernetes/kubeconfig.ts';
import {temporaryFolder} from '../sandbox.ts';

/** A kubeconfig as YAML, with one cluster and one user. */
const config = (name: string, {cluster = '', user = 'token: t', namespace = ''} = {}) => `
apiVersion: v1
kind: Config
current-context: ${name}
clusters: [{name: ${name}-cluster, cluster: {server: 'https://${name.replace(/\W/g, '')}.example:6443'${cluster && `, ${cluster}`}}}]
users: [{name: ${name}-user, user: {${user}}}]
contexts: [{name: '${name}', context: {cluster: ${name}-cluster, user: ${name}-user${namespace && `, namespace: ${namespace}`}}}]
`;

async function written(files: Readonly<Record<string, string>>) {
	const folder = await temporaryFolder();
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(join(folder, name, '..'), {recursive: true});
		writeFileSync(join(folder, name), content);
	}

	const listed = (...names: readonly string[]) => ({KUBECONFIG: names.map(name => join(folder, name)).join(delimiter)});
	return {folder, listed};
}

test('files are merged as kubectl merges them: the first entry of a name counts, and missing files are left out', async () => {
	const {listed} = await written({
		one: config('work', {namespace: 'mine'}),
		two: `${config('home')}`.replace('home-cluster, cluster', 'work-cluster, cluster'),
		three: config('home', {user: 'token: other'}),
	});
	const env = listed('one', 'missing', 'two', 'three');
	expect(findCluster('kubernetes', {env})).toMatchObject({
		server: new URL('https://work.example:6443'),
		namespace: 'mine',
	});
	const home = findCluster('kubernetes=home', {env});
	expect([home.server.host, home.namespace, home.credentials.token?.reveal()]).toEqual([
		'home.example:6443',
		'default',
		't',
	]);
	expect(findCluster('kubernetes=home/other', {env}).namespace).toBe('other');
	expect(findCluster('kubernetes=/other', {env})).toMatchObject({
		namespace: 'other',
		server: {host: 'work.example:6443'},
	});
});

test('a context may have slashes in its name, and what is unknown is named with what is known', async () => {
	const arn = 'arn:aws:eks:eu-west-1:1:cluster/prod';
	const {listed} = await written({one: config(arn)});
	const env = listed('one');
	expect(findCluster(`kubernetes=${arn}`, {env}).namespace).toBe('default');
	expect(findCluster(`kubernetes=${arn}/tasks`, {env}).namespace).toBe('tasks');
	expect(() => findCluster('kubernetes=nowhere/tasks', {env})).toThrow('The kubeconfig has no context “nowhere”.');
	expect(() => findCluster(`kubernetes=${arn}/No_Name`, {env})).toThrow('Invalid namespace “No_Name”.');
	expect(() => findCluster('kubernetes=', {env})).toThrow('Invalid engine “kubernetes=”.');
	expect(() => findCluster('kubernetes', {env: listed('missing')})).toThrow('No cluster is configured');
});

test.each([
	['insecure-skip-tls-verify', {cluster: 'insecure-skip-tls-verify: true'}],
	['auth-provider', {user: 'auth-provider: {name: gcp}'}],
	['user name and a password', {user: 'username: ada, password: x'}],
	['proxy-url', {cluster: 'proxy-url: http://proxy.example'}],
	[
		'exec program for client.authentication.k8s.io/v1alpha1',
		{user: 'exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: aws}'},
	],
	[
		'needs a terminal',
		{user: 'exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, interactiveMode: Always}'},
	],
])('[9] a kubeconfig with %s is refused in a sentence', async (what, parts) => {
	const {listed} = await written({one: config('work', parts)});
	expect(() => findCluster('kubernetes', {env: listed('one')})).toThrow(what);
});

test('[9] plain HTTP is for this machine alone, and a file that is none is named', async () => {
	const plain = (host: string) => config('work').replace('https://work.example:6443', `http://${host}:8001`);
	const {folder, listed} = await written({
		far: plain('work.example'),
		here: plain('127.0.0.1'),
		broken: 'clusters: {',
		wrong: 'clusters: [{name: 1}]',
		bomb: `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'.replace(/./g, (key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghij'[at]}`)}]\n`)}`,
	});
	expect(() => findCluster('kubernetes', {env: listed('far')})).toThrow('Plain HTTP to work.example:8001');
	expect(findCluster('kubernetes', {env: listed('here')}).server.protocol).toBe('http:');
	for (const name of ['broken', 'wrong', 'bomb']) {
		expect(() => findCluster('kubernetes', {env: listed(name)})).toThrow(`${join(folder, name)} is not a kubeconfig`);
	}
});

test('certificates come as data or from files beside the kubeconfig, and a missing file is named', async () => {
	const data = Buffer.from('PEM').toString('base64');
	const user = `client-certificate: certs/ada.crt, client-key-data: ${data}`;
	const {folder, listed} = await written({
		one: config('work', {cluster: `certificate-authority-data: ${data}, tls-server-name: other`, user}),
		'certs/ada.crt': 'CERTIFICATE',
		two: config('work', {user: 'client-certificate: gone.crt'}),
	});
	const {ca, serverName, credentials} = findCluster('kubernetes', {env: listed('one')});
	expect([ca, serverName, credentials.cert, credentials.key?.reveal(), String(credentials.key)]).toEqual([
		'PEM',
		'other',
		'CERTIFICATE',
		'PEM',
		'***',
	]);
	expect(() => findCluster('kubernetes', {env: listed('two')})).toThrow(join(folder, 'gone.crt'));
});

test('a server in a pod uses the account of the pod, and reads its token again as it changes', async () => {
	const {folder} = await written({namespace: 'tasks\n', 'ca.crt': 'CA', token: 'first\n'});
	const env = {KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443', HOME: folder};
	const access = findCluster('kubernetes', {env, accountFolder: folder});
	expect([access.server.href, access.namespace, access.ca]).toEqual(['https://[fd00::1]/', 'tasks', 'CA']);
	let nowMs = 0;
	const identity = createIdentity(access.credentials, {env, now: () => nowMs});
	const token = async () => (await identity.current()).token?.reveal();
	expect(await token()).toBe('first');
	writeFileSync(join(folder, 'token'), 'second');
	expect(await token()).toBe('first');
	nowMs = 60_000;
	expect(await token()).toBe('second');
	writeFileSync(join(folder, 'token'), 'third');
	identity.forget();
	expect(await token()).toBe('third');
});

test('an exec program says who we are until that expires, without the secrets of this server in its environment', async () => {
	const answer = (token: string) =>
		JSON.stringify({
			kind: 'ExecCredential',
			apiVersion: 'client.authentication.k8s.io/v1',
			status: {token, expirationTimestamp: new Date(600_000).toISOString()},
		});
	const program = `#!${process.execPath}
		const {env, argv} = process;
		const {spec} = JSON.parse(env.KUBERNETES_EXEC_INFO);
		console.log(${JSON.stringify(answer('@'))}.replace('@', [argv[2], env.REGION, env.AWS_PROFILE, env.OPENAI_API_KEY, spec.interactive, spec.cluster.server, require('fs').readFileSync(__dirname + '/count')].join('|')));`;
	const user = `exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, args: [get], env: [{name: REGION, value: eu}], provideClusterInfo: true}`;
	const {folder, listed} = await written({one: config('work', {user}), count: '1'});
	writeFileSync(join(folder, 'login'), program, {mode: 0o700});
	const env = {...listed('one'), PATH: process.env['PATH'], AWS_PROFILE: 'p', OPENAI_API_KEY: 'sk-secret'};
	let nowMs = 0;
	const identity = createIdentity(findCluster('kubernetes', {env}).credentials, {env, now: () => nowMs});
	const [first, same] = await Promise.all([identity.current(), identity.current()]);
	expect([first.token?.reveal(), same]).toEqual(['get|eu|p||false|https://work.example:6443/|1', first]);
	writeFileSync(join(folder, 'count'), '2');
	nowMs = 569_000;
	expect(await identity.current()).toBe(first);
	nowMs = 570_000;
	expect((await identity.current()).token?.reveal()).toMatch(/\|2$/);
});

test.each([
	['console.error("no session\\nLog in first."); process.exit(1)', 'gave no credentials: Log in first.'],
	['console.log("{}")', 'it printed no ExecCredential of client.authentication.k8s.io/v1.'],
	['process.stdout.write("x".repeat(3_000_000))', 'gave no credentials:'],
])('an exec program that fails is quoted: %s', async (line, expected) => {
	const {folder, listed} = await written({
		one: config('work', {user: 'exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login}'}),
	});
	writeFileSync(join(folder, 'login'), `#!${process.execPath}\n${line}`, {mode: 0o700});
	const env = listed('one');
	const identity = createIdentity(findCluster('kubernetes', {env}).credentials, {env});
	await expect(identity.current()).rejects.toMatchObject({code: 'failed', message: expect.stringContaining(expected)});
});
