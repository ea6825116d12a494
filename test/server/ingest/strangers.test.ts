import {expect, test} from 'vitest';
import {createTestServer, inWorkspace} from '../harness.ts';
import {type Given, push, spanId} from './push.ts';

const conversation = '88888888-8888-4888-8888-888888888888';
const run = '77777777-7777-4777-8777-777777777777';
const unarchive = (id: string) => `${inWorkspace}/sessions/${id}/unarchive`;

const call = (id: string, parent: string): Given => ({
	id,
	parent,
	attributes: {'gen_ai.operation.name': 'chat', 'gen_ai.usage.output_tokens': 10, 'service.session.title': id},
});

test('[26] a span below another user’s private session adds nothing to it', async () => {
	const server = await createTestServer();
	const {key} = await server.join('member');
	await push(server, [{id: '1', attributes: {'gen_ai.conversation.id': conversation}}, call('2', '1')]);
	expect(await push(server, [call('3', '1'), call('4', '3')], {key})).toEqual({});
	const {json} = await server.send(unarchive(conversation), {method: 'POST'});
	expect([json.title, json.usage.total_output_tokens, json.usage.total_message_count]).toEqual(['2', 10, 1]);
});

test('[26] spans do not inherit a session or run of a parent by another user', async () => {
	const server = await createTestServer();
	const {key} = await server.join('member');
	await push(server, [call('2', '1'), {...call('3', '2'), attributes: {'gen_ai.conversation.id': conversation}}]);
	const own = '99999999-9999-4999-8999-999999999999';
	const attributes = {'gen_ai.conversation.id': own, 'service.workflow.run.id': run};
	expect(await push(server, [{id: '1', attributes}], {key})).toEqual({});
	const {json} = await server.send(unarchive(own), {method: 'POST', key});
	expect([json.title, json.usage.total_message_count]).toEqual([null, 0]);
	const ofRun = await server.database
		.selectFrom('spans')
		.select('span_id')
		.where('workflow_run_id', '=', run)
		.execute();
	expect(ofRun).toEqual([{span_id: spanId('1')}]);
});
