/**
 * The streams of text in the wire formats of the providers, by the end of the path that a program asks: the events before
 * the text, of each piece of it, and after it.
 */
export const wireFormats = {
	'/chat/completions': () => ({
		begin: '',
		piece: content => data(choice({content})),
		end: `${data({...choice({}, 'stop'), usage: {prompt_tokens: 100, completion_tokens: 20, total_tokens: 120}})}data: [DONE]\n\n`,
	}),
	'/messages': () => ({
		begin: [
			{
				type: 'message_start',
				message: {
					...{id: 'msg_1', type: 'message', role: 'assistant', model: 'bench', content: [], stop_reason: null},
					usage: {input_tokens: 100, output_tokens: 1},
				},
			},
			{type: 'content_block_start', index: 0, content_block: {type: 'text', text: ''}},
		]
			.map(named)
			.join(''),
		piece: text => named({type: 'content_block_delta', index: 0, delta: {type: 'text_delta', text}}),
		end: [
			{type: 'content_block_stop', index: 0},
			{type: 'message_delta', delta: {stop_reason: 'end_turn', stop_sequence: null}, usage: {output_tokens: 20}},
			{type: 'message_stop'},
		]
			.map(named)
			.join(''),
	}),
	'/responses': () => {
		const place = {item_id: 'msg_1', output_index: 0, content_index: 0};
		const item = text => ({
			...{id: 'msg_1', type: 'message', role: 'assistant', status: text ? 'completed' : 'in_progress'},
			content: text ? [{type: 'output_text', text, annotations: []}] : [],
		});
		let whole = '';
		return {
			begin: [
				{type: 'response.created', response: {id: 'resp_1', status: 'in_progress', output: []}},
				{type: 'response.output_item.added', output_index: 0, item: item('')},
			]
				.map(named)
				.join(''),
			piece(delta) {
				whole += delta;
				return named({type: 'response.output_text.delta', ...place, delta});
			},
			// The whole text is known after its last piece.
			get end() {
				const usage = {input_tokens: 100, output_tokens: 20, total_tokens: 120};
				return [
					{type: 'response.output_item.done', output_index: 0, item: item(whole)},
					{type: 'response.completed', response: {id: 'resp_1', status: 'completed', output: [item(whole)], usage}},
				]
					.map(named)
					.join('');
			},
		};
	},
};

const data = value => `data: ${JSON.stringify(value)}\n\n`;
const named = event => `event: ${event.type}\n${data(event)}`;
const choice = (delta, finish) => ({choices: [{index: 0, delta, ...(finish && {finish_reason: finish})}]});
