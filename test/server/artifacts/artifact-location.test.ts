import {expect, test} from 'vitest';
import {parseBucket} from '../../../src/server/artifacts/artifact-location.ts';

const env = {AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'shhhhhh-secret'};

test.each<[string, object, object]>([
	['s3://art', {}, {url: 'https://art.s3.us-east-1.amazonaws.com', region: 'us-east-1', prefix: ''}],
	['s3://art', {AWS_REGION: 'eu-west-1'}, {url: 'https://art.s3.eu-west-1.amazonaws.com', region: 'eu-west-1'}],
	['s3://my.art?region=eu-1', {}, {url: 'https://s3.eu-1.amazonaws.com/my.art', region: 'eu-1'}],
	['s3://art/a/b/?endpoint=https://min.io/s3/', {}, {url: 'https://min.io/s3/art', prefix: 'a/b/', isProxied: false}],
	['s3://art?endpoint=http://127.0.0.1:9000&proxy=true', {}, {url: 'http://127.0.0.1:9000/art', isProxied: true}],
	['s3://art?endpoint=http://minio:9000&insecure-http=true', {}, {url: 'http://minio:9000/art'}],
])('%s with %j is a bucket', (text, more, expected) => {
	expect(parseBucket(text, {...env, ...more})).toMatchObject({kind: 's3', accessKeyId: 'AKID', ...expected});
});

test.each([
	['art', '--artifacts must be a bucket such as s3://bucket?endpoint=https://host&region=name.'],
	['https://art', '--artifacts must be a bucket such as s3://bucket?endpoint=https://host&region=name.'],
	['s3://', '--artifacts must be a bucket such as s3://bucket?endpoint=https://host&region=name.'],
	['s3://A_b', '--artifacts must be a bucket such as s3://bucket?endpoint=https://host&region=name.'],
	['s3://me:pw@art', '--artifacts must be a bucket such as s3://bucket?endpoint=https://host&region=name.'],
	['s3://art?acl=public', 'Unknown bucket parameter “acl”.'],
	['s3://art/a b', 'A prefix may have letters, digits, dots, dashes and slashes.'],
	['s3://art?endpoint=ftp://x', 'The endpoint of a bucket must be an http or https URL without a user name.'],
	['s3://art?endpoint=https://me:pw@x', 'The endpoint of a bucket must be an http or https URL without a user name.'],
])('%s is not a bucket', (text, message) => {
	expect(() => parseBucket(text, env)).toThrow(message);
});

test('[9] plain HTTP to another machine needs permission', () => {
	expect(() => parseBucket('s3://art?endpoint=http://minio:9000', env)).toThrow(
		'Refusing plain HTTP: anyone on the network could read the artifacts.',
	);
});

test('[8] a bucket needs a key and never shows it', () => {
	expect(() => parseBucket('s3://art', {AWS_ACCESS_KEY_ID: 'AKID'})).toThrow('The bucket has no access key.');
	const bucket = parseBucket('s3://art', {...env, AWS_SESSION_TOKEN: 'session-secret'});
	expect(JSON.stringify(bucket)).not.toMatch(/shhhhhh|session-/);
});
