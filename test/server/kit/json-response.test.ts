import {expect, test} from 'vitest';
import {JsonResponse} from '../../../src/server/kit/json-response.ts';

const create = () => new JsonResponse({name: 'ünïcode'}, {status: 201, headers: {'x-total': '1'}});

test('a JSON response reads as that of the standard', async () => {
	const standard = Response.json({name: 'ünïcode'}, {status: 201, headers: {'x-total': '1'}});
	expect([...create().headers]).toEqual([...standard.headers]);
	expect(create().status).toBe(201);
	expect(await create().json()).toEqual({name: 'ünïcode'});
	expect(await create().text()).toBe('{"name":"ünïcode"}');
	expect(new Uint8Array(await create().arrayBuffer())).toEqual(new Uint8Array(await standard.arrayBuffer()));
	expect((await create().blob()).type).toBe('application/json');
	expect(await new Response(create().body).json()).toEqual({name: 'ünïcode'});
	expect(await create().clone().json()).toEqual({name: 'ünïcode'});
	expect(create().content).toBe('{"name":"ünïcode"}');
});

test('its body can be read once, as any other', async () => {
	const response = create();
	expect(response.bodyUsed).toBe(false);
	await response.text();
	expect(response.bodyUsed).toBe(true);
	await expect(response.json()).rejects.toThrow(TypeError);
});

test('a content type of its own stays', () => {
	const headers = {'content-type': 'application/problem+json'};
	expect(new JsonResponse({}, {headers}).headers.get('content-type')).toBe('application/problem+json');
});
