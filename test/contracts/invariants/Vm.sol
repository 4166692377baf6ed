// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice The cheatcodes of Hardhat's Solidity test runner that these tests use.
interface IVm {
    function warp(uint256 timestamp) external;
    function prank(address sender) external;
    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function assume(bool condition) external pure;
}

IVm constant vm = IVm(address(uint160(uint256(keccak256("hevm cheat code")))));

/// @notice `value` folded into [low, high].
function bounded(uint256 value, uint256 low, uint256 high) pure returns (uint256) {
    return low + (value % (high - low + 1));
}

/// @notice `digest` signed by `privateKey`: 65 bytes, low s.
function signature(uint256 privateKey, bytes32 digest) pure returns (bytes memory) {
    (uint8 v, bytes32 r, bytes32 s) = vm.sign(privateKey, digest);
    return abi.encodePacked(r, s, v);
}
