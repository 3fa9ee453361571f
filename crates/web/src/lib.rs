//! What each URL answers; the page and its assets.
