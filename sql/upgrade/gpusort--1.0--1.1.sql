/*
 * gpusort--1.0--1.1.sql: makes of the objects of 1.0 just what CREATE EXTENSION makes.
 * What users have built on them stays: nothing is dropped that they can depend on.
 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpusort UPDATE TO '1.1'" to load this file. \quit
