import type {Client} from '../../client/client.ts';
import type {CallOf} from '../../contract/endpoint.ts';
import type {operations} from '../../contract/extensions.ts';
import {originalOf} from '../../contract/lenient.ts';
import type {Json} from '../../core/json.ts';
import type {StreamItem} from '../result.ts';

type Environment = CallOf<(typeof operations)['getEnvironment']>;

const lineOf = (data: Json): StreamItem => ({kind: 'line', text: JSON.stringify(data), data});

/** Returns a sandbox, and then each line of its log, as lines of JSON. Throws what the request of the sandbox does. */
export async function exportEnvironment(
	client: Client,
	{params}: Environment,
	{log, signal}: {readonly log: AsyncIterable<readonly StreamItem[]>; readonly signal: AbortSignal},
): Promise<AsyncIterable<readonly StreamItem[]>> {
	const environment = originalOf(await client.getEnvironment({params}, signal));
	return (async function* lines() {
		yield [lineOf({environment})];
		for await (const items of log) {
			yield items.map(({data}) => lineOf({log: data ?? null}));
		}
	})();
}
