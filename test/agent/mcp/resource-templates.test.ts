import {expect, test} from 'vitest';
import {completeTemplates, openTemplate} from '../../../src/agent/mcp/resources.ts';
import {hostile, node, official, openServers} from './servers.ts';

const never = new AbortController().signal;
const template = (uri: string) => ({uri, about: 'x', isTemplate: true});

test.each([
	['notes:///{name}', 'notes:///', {name: 'name', value: '', before: 'notes:///', after: ''}],
	['notes:///{name}', 'notes:///a%20b', {value: 'a b'}],
	['f:///{a}/{+b}', 'f:///do', {name: 'a', value: 'do', after: '/{+b}'}],
	['f:///{a}/{+b}', 'f:///docs/sub/g', {name: 'b', value: 'sub/g', before: 'f:///docs/', known: {a: 'docs'}}],
	['f:///{__proto__}/{b}', 'f:///x/', {name: 'b', known: Object.assign(Object.create(null), {['__proto__']: 'x'})}],
])('of %s and %s a variable is open', (uri, typed, open) => {
	expect(openTemplate(template(uri), typed)).toMatchObject(open);
});

test.each([
	['notes:///{name}', 'notes:'],
	['notes:///{name}', 'other:///a'],
	['notes:///{?q*}', 'notes:///'],
	['f:///{a}/end', 'f:///x/end'],
])('of %s and %s no variable is open', (uri, typed) => {
	expect(openTemplate(template(uri), typed)).toBeUndefined();
});

test('the server proposes values for the variable that is typed, by those before it', async () => {
	const {servers} = openServers({docs: node(official)});
	const proposed = async (query: string) => {
		const [found] = await servers.suggestResources(query, never);
		return found?.resources?.filter(({uri}) => uri.startsWith('files:')).map(({uri}) => uri);
	};
	// On a busy machine a proposal may come too late, and then with the next key.
	await expect
		.poll(() => proposed('docs:files:///'))
		.toEqual(['files:///docs/{+path}', 'files:///src/{+path}', 'files:///{folder}/{+path}']);
	await expect
		.poll(() => proposed('docs:files:///docs/'))
		.toEqual(['files:///docs/read%20me.md', 'files:///docs/sub/guide.md', 'files:///{folder}/{+path}']);
	await expect
		.poll(() => proposed('docs:files:///src/ma'))
		.toEqual(['files:///src/main.ts', 'files:///{folder}/{+path}']);
});

test('a server that proposes nothing, hangs or answers nonsense keeps its resources, and proposals are safe [1]', async () => {
	const {servers} = openServers({bad: node(hostile, 'resources-complete'), plain: node(hostile, 'resources')});
	const [many] = await servers.suggestResources('bad:a://t/', never);
	expect(many?.resources?.filter(({uri}) => uri.startsWith('a://t/'))).toHaveLength(51);
	expect(many?.resources?.[0]?.uri).toBe('a://t/%1B%5B2J%E2%80%AE%2F..%2F');
	expect(many?.resources).toHaveLength(1050);
	const [odd] = await servers.suggestResources('bad:a://t/wrong', never);
	expect(odd?.resources?.[0]?.uri).toBe('a://0');
	const [plain] = await servers.suggestResources('plain:a://', never);
	expect(plain?.resources?.[0]?.uri).toBe('a://0');

	const stop = new AbortController();
	const hanging = servers.suggestResources('bad:a://t/hang', stop.signal);
	stop.abort();
	await expect(hanging).rejects.toMatchObject({name: 'AbortError'});
});

test('a proposal with half a character is still a URI', async () => {
	const open = openTemplate(template('n:///{name}'), 'n:///');
	const found = await completeTemplates({complete: async () => ['a\ud800']}, open ? [open] : [], never);
	expect(found).toEqual([{uri: 'n:///a%EF%BF%BD', about: 'x', isTemplate: false}]);
});
