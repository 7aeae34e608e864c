#!/usr/bin/env node
// Stands here, and not in `dist`, so that `npm install` finds the command before anything is built.
import "../dist/cli/main.js";
