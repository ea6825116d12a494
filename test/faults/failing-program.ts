import process from 'node:process';
import {failCalls} from './failing-calls.ts';

// For `node --import`: calls of the file system fail in a program as FAILING_CALLS says.
failCalls(JSON.parse(process.env['FAILING_CALLS'] ?? 'null') ?? undefined);
