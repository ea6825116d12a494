import {once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {onTestFinished} from 'vitest';
import {fault} from './signature-v4.ts';

export const keys = {
	accessKeyId: 'AKIDEXAMPLE',
	secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
	region: 'eu-test-1',
};

/** Fewer than a bucket of S3 lists, so that a test sees more than one part. */
const listedAtOnce = 2;

/**
 * Starts a store with the part of S3 that we use, on a free port of this machine, until the test ends. It checks every
 * signature against the manual, and rejects uploads without a length.
 */
export async function startS3({now = () => new Date()} = {}) {
	const objects = new Map<string, Buffer>();
	const storedAt = new Map<string, number>();
	/** Method and status of each request, and why it was rejected. */
	const requests: string[] = [];
	const server = createServer((request, response) => void answer(request, response));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const close = () => {
		server.closeAllConnections();
		server.close();
	};
	onTestFinished(close);
	const address = server.address();
	const port = typeof address === 'object' && address ? address.port : 0;
	return {url: `http://127.0.0.1:${port}`, objects, requests, close};

	async function answer(request: IncomingMessage, response: ServerResponse) {
		const {method = '', url: target = '', headers} = request;
		const body = Buffer.concat(await request.toArray());
		const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
		const problem = fault({method, target, headers: texts, body}, {...keys, now: now()});
		const [status, fields, sent] = problem ? ([403, {}, problem] as const) : act(method, target, texts, body);
		requests.push([method, status, problem].filter(Boolean).join(' '));
		response.writeHead(status, {'content-length': sent?.length ?? 0, ...fields});
		response.end(method === 'HEAD' ? undefined : sent);
	}

	function act(method: string, target: string, headers: Readonly<Record<string, string>>, body: Buffer) {
		const {pathname, searchParams} = new URL(target, 'http://s3');
		const found = objects.get(pathname);
		if (method === 'PUT') {
			if (headers['content-length'] === undefined || headers['transfer-encoding'] !== undefined) {
				return [411, {}, 'MissingContentLength'] as const;
			}

			if (found && headers['if-none-match'] === '*') {
				return [412, {}, 'PreconditionFailed'] as const;
			}

			objects.set(pathname, body);
			storedAt.set(pathname, now().getTime());
			return [200, {}, undefined] as const;
		}

		if (method === 'GET' && searchParams.get('list-type') === '2') {
			const prefix = `${pathname}/${searchParams.get('prefix')}`;
			const after = `${pathname}/${searchParams.get('start-after') ?? ''}`;
			const contents = [...objects.keys()]
				.sort()
				.filter(name => name.startsWith(prefix) && name > after)
				.slice(0, listedAtOnce)
				.map(
					name =>
						`<Contents><Key>${name.slice(pathname.length + 1)}</Key><LastModified>${new Date(storedAt.get(name) ?? 0).toISOString()}</LastModified><Size>${objects.get(name)?.length}</Size></Contents>`,
				);
			const text = `<?xml version="1.0"?>\n<ListBucketResult>${contents.join('\n')}</ListBucketResult>`;
			return [200, {'content-type': 'application/xml'}, Buffer.from(text)] as const;
		}

		if (method === 'DELETE') {
			objects.delete(pathname);
			return [204, {}, undefined] as const;
		}

		if (!found) {
			return [404, {}, 'NoSuchKey'] as const;
		}

		const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers['range'] ?? '') ?? [];
		const fields = {
			'content-type': searchParams.get('response-content-type') ?? 'binary/octet-stream',
			'content-disposition': searchParams.get('response-content-disposition') ?? 'none',
		};
		return start === undefined
			? ([200, fields, found] as const)
			: ([206, fields, found.subarray(Number(start), Number(end) + 1)] as const);
	}
}
