import {beforeEach, inject} from 'vitest';

/** Without PostgreSQL the tests of this project are counted as skipped, each with the reason. */
beforeEach(({skip}) => skip(inject('postgres') === '', 'PostgreSQL is not installed (Debian: postgresql)'));
