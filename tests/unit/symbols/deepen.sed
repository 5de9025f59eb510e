# Puts scopes, each within the one before, behind the functions of gcc's assembler code (sed -z). Abbreviation 100 is a
# lexical block with children, and with attributes of 4, 2 and 1 bytes.
s/\t\.byte\t0\n\(\t\.section\t\.debug_abbrev[^\n]*\n[^\n]*:\n\)/\t.fill SCOPES, 8, 100\nunit_end:\n\1\t.byte 100, 11, 1, 59, 6, 57, 5, 58, 11, 0, 0\n/
s/\(\.Ldebug_info0:\n\t\.long\t\)[^\n]*/\1unit_end - . - 4/
